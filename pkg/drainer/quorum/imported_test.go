// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

const formerTaint = "kubevirt.io/drain"

// formerlyOut has another operator take cp-1 out of service.
func formerlyOut(s *still) {
	drainertest.Cordon(s.nodes[0])
	drainertest.Taint(formerTaint)(s.nodes[0])
}

// imported are the annotations of a hold that was imported while that operator had the node of that name out of
// service; empty: none.
func imported(node string) map[string]string {
	if node == "" {
		return nil
	}
	value, err := json.Marshal(v1beta1.ImportedFrom{
		NodeUID: drainertest.UID(node), NodeBefore: &v1beta1.NodeBefore{AddedTaints: []string{
			corev1.TaintNodeUnschedulable + ":NoSchedule", formerTaint + ":NoSchedule",
		}},
	})
	if err != nil {
		panic(err)
	}
	return map[string]string{v1beta1.ImportedAnnotation: string(value)}
}

// A member that another operator took out of service is out for the others, and passes itself until it is given back.
func TestImportedHold(t *testing.T) {
	s := controlPlane(three...)
	s.holds["cp-1"] = []*v1beta1.NodeMaintenance{drainertest.Hold{Name: "x", Node: "cp-1", Change: func(h *v1beta1.NodeMaintenance) {
		h.Annotations = imported("cp-1")
	}}.Object()}
	formerlyOut(s)
	g := s.guard()
	s.wantWait(t, g, "cp-2", `(out: cp-1, held by "x" of "x")`)
	s.nodes[2].Status.Conditions[0].Status = corev1.ConditionFalse
	s.wantWait(t, g, "cp-1", "")
	s.nodes[0] = newMember("cp-1")
	s.wantWait(t, g, "cp-1", "(out: cp-3, not ready)")
}
