// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	_ "embed"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// Annotations by which a pod overrides what the simulated kubelets do with it.
// Values are Go durations such as 1500ms.
const (
	// ReadyDelayAnnotation is how long after it was bound the pod becomes Ready.
	ReadyDelayAnnotation = "localcluster/ready-delay"
	// TerminationDelayAnnotation is how long after its deletion the pod is gone.
	TerminationDelayAnnotation = "localcluster/termination-delay"
	// CompleteAfterAnnotation is how long the pod runs until it succeeds. Without it, a pod
	// runs forever.
	CompleteAfterAnnotation = "localcluster/complete-after"
	// UnreadyAnnotation, with any value, keeps the pod Running but not Ready. It can be
	// added and removed while the pod runs.
	UnreadyAnnotation = "localcluster/unready"
)

// kwokUser is the user name of the simulated kubelets.
const kwokUser = "localcluster:kwok"

// The names of the files in the configuration directory.
const (
	auditPolicyFile = "audit-policy.yaml"
	stagesFile      = "stages.yaml"
	schedulerFile   = "scheduler.yaml"
)

var (
	//go:embed config/audit-policy.yaml
	auditPolicy []byte
	//go:embed config/stages.yaml
	stages string
	//go:embed config/scheduler.yaml
	scheduler string
)

// writeConfigs writes the configuration files of the components.
func (c *Cluster) writeConfigs() error {
	return errors.Join(
		writeFile(c.layout.config(auditPolicyFile), renderAuditPolicy(os.Getenv(RightsVariable) != "")),
		writeFile(c.layout.config(stagesFile), renderStages(c.options.ReadyDelay, c.options.TerminationDelay)),
		writeFile(c.layout.config(schedulerFile), renderScheduler(c.layout.config(binaries.KubeScheduler))),
	)
}

// renderAuditPolicy adds to the audit policy what is needed to know all permissions that our server uses.
func renderAuditPolicy(rights bool) []byte {
	if !rights {
		return auditPolicy
	}
	return bytes.Replace(auditPolicy, []byte("rules:\n"), []byte("rules:\n"+auditRightsRule), 1)
}

// renderStages sets the delays of the cluster, for pods without delays of their own.
func renderStages(readyDelay, terminationDelay time.Duration) []byte {
	return []byte(strings.NewReplacer(
		`"DEFAULT_READY_DELAY"`, `"`+inMilliseconds(readyDelay)+`"`,
		`"DEFAULT_TERMINATION_DELAY"`, `"`+inMilliseconds(terminationDelay)+`"`,
	).Replace(stages))
}

// renderScheduler sets the kubeconfig of the scheduler that packs pods.
func renderScheduler(kubeconfig string) []byte {
	return []byte(strings.ReplaceAll(scheduler, "KUBECONFIG", strconv.Quote(kubeconfig)))
}

// inMilliseconds rounds a duration to milliseconds, because the expressions in the stages
// parse no smaller unit.
func inMilliseconds(d time.Duration) string {
	return d.Round(time.Millisecond).String()
}
