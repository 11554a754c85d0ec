// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"maps"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// fakeAdmission answers as it is told to. Holds of which it has no answer are admitted, as if there were no policy.
type fakeAdmission struct {
	mu      sync.Mutex
	answers map[string]holdstatus.Admitted
	// unknown says that nothing is known yet.
	unknown bool
	planned map[string]bool
}

// Admitted implements Admission.
func (f *fakeAdmission) Admitted(hold *v1beta1.NodeMaintenance) holdstatus.Admitted {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer, found := f.answers[hold.Name]
	switch {
	case f.unknown:
		return holdstatus.Admitted{}
	case found:
		return answer
	default:
		return holdstatus.Admitted{Known: true, Stage: hold.Spec.Stage}
	}
}

// Planned implements Admission.
func (f *fakeAdmission) Planned(node string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.planned[node]
}

// policed runs a test in a cluster with policies, and with a node and two pods on it.
func policed(t *testing.T, test func(c *cluster), objects ...drainertest.Object) {
	t.Helper()
	inCluster(t, func(t *testing.T) *cluster {
		c := twoPods(t)
		c.Add(objects...)
		c.admission = &fakeAdmission{answers: map[string]holdstatus.Admitted{}, planned: map[string]bool{}}
		c.config.Admission = c.admission
		return c
	}, test)
}

// policy changes what Admission answers, and wakes the node.
func (c *cluster) policy(change func(f *fakeAdmission)) {
	c.admission.mu.Lock()
	change(c.admission)
	c.admission.mu.Unlock()
	c.drainer.Wake(drainertest.NodeName)
	c.settle()
}

// admits has Admission answer so for the hold, and wakes the node.
func (c *cluster) admits(hold string, answer holdstatus.Admitted) {
	c.policy(func(f *fakeAdmission) { f.answers[hold] = answer })
}

// knows says whether Admission knows anything.
func (c *cluster) knows(known bool) { c.policy(func(f *fakeAdmission) { f.unknown = !known }) }

// leadAnew ends the drainer, and begins again with an Admission that answers so.
func (c *cluster) leadAnew(f *fakeAdmission) {
	c.stop()
	c.admission, c.config.Admission = f, f
	c.start()
}

// begins is an Admission of a process that has just begun: it answers the same, or does not know anything yet.
func (f *fakeAdmission) begins(unknown bool) *fakeAdmission {
	return &fakeAdmission{answers: maps.Clone(f.answers), planned: maps.Clone(f.planned), unknown: unknown}
}

// queued is the answer for a hold that may go as far as the stage, and waits for the rest.
func queued(stage v1beta1.MaintenanceStage, message string) holdstatus.Admitted {
	return holdstatus.Admitted{
		Known: true, Stage: stage, Reason: v1beta1.AdmissionQueued, Message: message,
		Status: &v1beta1.MaintenanceAdmission{
			Stage:      stage,
			WaitingFor: []v1beta1.AdmissionWait{{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: message}},
		},
	}
}

// admitted is the answer for a hold that was admitted then to all it asks for.
func admitted(at time.Time) holdstatus.Admitted {
	return holdstatus.Admitted{
		Known: true, Stage: v1beta1.StageDrain, Reason: v1beta1.AdmissionAdmitted, Message: "admitted",
		Status: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain, AdmittedTime: &metav1.Time{Time: at}},
	}
}
