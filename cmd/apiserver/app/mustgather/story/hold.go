// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdKey is a NodeMaintenance. One of an operator may have the name of one of ours.
type holdKey struct {
	name string
	uid  types.UID
}

// holdHead is what is said of a hold before what happened.
type holdHead struct {
	node, line string
	created    time.Time
}

// Hold tells of a NodeMaintenance of any group. Fields that an old group does not have are empty.
func (s *Story) Hold(hold *v1beta1.NodeMaintenance) {
	name, node := hold.Name, hold.Spec.NodeName
	s.nodeOf[holdKey{name, hold.UID}] = node
	if anyHold := (holdKey{name: name}); s.nodeOf[anyHold] == "" {
		s.nodeOf[anyHold] = node // ours are told before those of others
	}
	s.holds[holdKey{name, hold.UID}] = holdHead{node: node, line: headOf(hold), created: hold.CreationTimestamp.Time}
	happened := func(at *metav1.Time, format string, args ...any) {
		if at != nil {
			s.add(entry{at: at.Time, node: node, hold: name, source: fromHold, text: fmt.Sprintf(format, args...)})
		}
	}
	planned := func(at *metav1.Time, what string) {
		if at != nil {
			s.add(entry{at: at.Time, planned: true, node: node, hold: name, source: fromHold, text: what})
		}
	}
	status := &hold.Status
	happened(&hold.CreationTimestamp, "was created by %s", requestorOf(hold))
	admission(status.Admission, happened, planned)
	happened(status.StartTime, "the drain began")
	happened(status.DrainedTime, "the last pod had left")
	if status.DrainedTime == nil {
		planned(status.Deadline, "the deadline of the drain")
	}
	planned(status.ExpirationTime, "expires")
	happened(hold.DeletionTimestamp, "was deleted, and still has %s", english.Plural(len(hold.Finalizers), "finalizer", ""))
	for i := range status.Conditions {
		c := &status.Conditions[i]
		happened(&c.LastTransitionTime, "%s became %s", c.Type, condition(string(c.Status), c.Reason, c.Message))
	}
	if status.LastError != "" {
		happened(cmp.Or(status.LastUpdate, &hold.CreationTimestamp), "last error: %s", status.LastError)
	}
	s.writers(node, name, "the NodeMaintenance", hold.CreationTimestamp, hold.ManagedFields)
}

func headOf(hold *v1beta1.NodeMaintenance) string {
	line := fmt.Sprintf("Hold %s of %s", hold.Name, requestorOf(hold))
	if hold.Spec.Stage != "" {
		line += fmt.Sprintf(", stage %s", hold.Spec.Stage)
	}
	line += ": " + cmp.Or(string(hold.Status.Phase), "no phase yet")
	line += waitsFor(hold)
	if progress := hold.Status.DrainProgress; progress != nil {
		line += fmt.Sprintf(", %d %% drained", *progress)
	}
	if blocked := hold.Status.BlockedPodCount; blocked > 0 {
		line += fmt.Sprintf(", %s blocked", english.Plural(int(blocked), "pod", ""))
	}
	if hold.Spec.Reason != "" {
		line += fmt.Sprintf(". Reason: %s", hold.Spec.Reason)
	}
	return line
}

func requestorOf(hold *v1beta1.NodeMaintenance) string {
	return cmp.Or(hold.Spec.Requestor, "an unknown user")
}

// condition is what a condition says, such as "True (NodeEmpty): no pod is left".
func condition(status, reason, message string) string {
	if reason != "" && reason != status {
		status += " (" + reason + ")"
	}
	if message != "" {
		status += ": " + message
	}
	return status
}

// writers tells who last changed an object, from its managedFields. Status is written so often that its
// last write says nothing.
func (s *Story) writers(node, hold, what string, created metav1.Time, managers []metav1.ManagedFieldsEntry) {
	for _, m := range managers {
		if m.Time == nil || m.Subresource != "" || !m.Time.After(created.Time) {
			continue
		}
		s.add(entry{at: m.Time.Time, node: node, hold: hold, source: fromWriter, text: m.Manager + " last changed " + what})
	}
}
