// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// Maintenance that another operator has begun goes on, although a policy has no room for more.
func TestImportedMaintenanceIsAdopted(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		const operatorTaint = "kubevirt.io/drain"
		w.nodes(2)
		w.policy("workers", maxConcurrent(0))
		node := drainertest.Get[*corev1.Node](w.Server, "", "w-1")
		drainertest.Change(w.Server, node, drainertest.Cordon)
		drainertest.Change(w.Server, node, drainertest.Taint(operatorTaint))
		from, err := json.Marshal(v1beta1.ImportedFrom{
			APIVersion: "nodemaintenance.medik8s.io/v1beta1", Name: "m", UID: "u", CreationTime: metav1.Now(),
			NodeUID: node.UID, NodeBefore: &v1beta1.NodeBefore{AddedTaints: []string{operatorTaint + ":NoSchedule"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		w.hold("w-1", func(h *v1beta1.NodeMaintenance) {
			h.Annotations = map[string]string{v1beta1.ImportedAnnotation: string(from)}
		})
		w.hold("w-2")
		w.wait(time.Minute)
		w.wantCordoned("w-1")
		if hold := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"); hold.Status.NodeBefore == nil {
			t.Errorf("the hold says %+v, want it to have its node", hold.Status)
		}
	})
}
