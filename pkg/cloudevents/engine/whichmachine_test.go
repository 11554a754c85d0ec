// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
)

// A machine that an event names means a node only if its UID or its provider ID is that of the node: a machine of another
// cluster may have a node of the same name.
func TestMachineOfEvent(t *testing.T) {
	const id, uid = "aws:///eu/i-m-01", "n-m-01-uid" // of the node
	tests := map[string]struct {
		id, uid string
		refused bool
	}{
		"its own":                   {id: id, uid: uid},
		"its UID alone":             {uid: uid},
		"its provider ID alone":     {id: id}, // nodeRef of Cluster API's v1beta2 has no UID
		"another UID":               {id: id, uid: "other", refused: true},
		"another provider ID":       {id: "aws:///eu/i-other", uid: uid, refused: true},
		"another provider ID alone": {id: "aws:///eu/i-other", refused: true},
		"a name alone":              {refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				node := w.cloud.worker()
				w.cloud.say(node, test.id, test.uid)
				w.start()
				w.event("reboot", v1beta1.CodeInstanceReboot, "", notBefore(30*time.Minute), func(event *v1beta1.ScheduledEvent) {
					event.Spec.MachineRef = &v1beta1.MachineReference{
						APIGroup: v1beta1.OpenShiftMachineGroup, Namespace: machinesNamespace, Name: "m-01",
					}
				})
				w.wait(time.Minute)
				if test.refused {
					w.wantBlocked("reboot", decision.ReasonNodeNotFound, node)
					if hold := w.holdOf("reboot", node); hold != nil {
						t.Errorf("node %s is held: %+v", node, hold)
					}
					w.cloud.say(node, id, uid)
					w.wait(2 * time.Minute)
				}
				w.wantPhase("reboot", v1beta1.EventPhaseDrained)
			})
		})
	}
}

// say has the first machine say which node it is. It says neither an id at the cloud nor a UID that is empty.
func (c *cloud) say(node, id, uid string) {
	machine, reference := c.now(object("Machine", "m-01")), map[string]any{"name": node}
	if uid != "" {
		reference["uid"] = uid
	}
	_ = unstructured.SetNestedMap(machine.Object, reference, "status", "nodeRef")
	unstructured.RemoveNestedField(machine.Object, "spec", "providerID")
	if id != "" {
		_ = unstructured.SetNestedField(machine.Object, id, "spec", "providerID")
	}
	c.server.Put(machine)
}
