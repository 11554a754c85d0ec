// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	_ "embed"
	"errors"
	"strings"
	"time"
)

// Annotations by which a pod overrides what the simulated kubelets do with it.
// Values are Go durations such as 1500ms.
const (
	// ReadyDelayAnnotation is how long after it was bound the pod becomes Ready.
	ReadyDelayAnnotation = "localcluster/ready-delay"
	// TerminationDelayAnnotation is how long after its deletion the pod is gone.
	TerminationDelayAnnotation = "localcluster/termination-delay"
	// CompleteAfterAnnotation is how long the pod runs until it has Succeeded;
	// without it a pod runs for ever.
	CompleteAfterAnnotation = "localcluster/complete-after"
	// UnreadyAnnotation, with any value, keeps the pod Running but not Ready; it
	// may come and go while the pod runs.
	UnreadyAnnotation = "localcluster/unready"
)

// kwokUser is who the simulated kubelets are in the audit log.
const kwokUser = "localcluster:kwok"

// The names of the files in the configuration folder.
const (
	auditPolicyFile = "audit-policy.yaml"
	stagesFile      = "stages.yaml"
)

var (
	//go:embed config/audit-policy.yaml
	auditPolicy []byte
	//go:embed config/stages.yaml
	stages string
)

// writeConfigs writes the files that components are configured by.
func (c *Cluster) writeConfigs() error {
	return errors.Join(
		writeFile(c.layout.config(auditPolicyFile), auditPolicy),
		writeFile(c.layout.config(stagesFile), renderStages(c.options.ReadyDelay, c.options.TerminationDelay)),
	)
}

// renderStages puts the cluster's delays where a pod does not say its own.
func renderStages(readyDelay, terminationDelay time.Duration) []byte {
	return []byte(strings.NewReplacer(
		`"DEFAULT_READY_DELAY"`, `"`+inMilliseconds(readyDelay)+`"`,
		`"DEFAULT_TERMINATION_DELAY"`, `"`+inMilliseconds(terminationDelay)+`"`,
	).Replace(stages))
}

// inMilliseconds is a duration in the one unit that a stage's own arithmetic
// needs no microseconds for.
func inMilliseconds(d time.Duration) string {
	return d.Round(time.Millisecond).String()
}
