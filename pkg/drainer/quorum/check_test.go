// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestMembersForACreate(t *testing.T) {
	s := controlPlane("cp-2", "cp-1")
	s.nodes = append(s.nodes, drainertest.Node{Name: "worker-1"}.Object())
	for node, want := range map[string][]string{"cp-1": {"cp-1", "cp-2"}, "worker-1": nil, "absent": nil} {
		if got := New(s, nil, false).Members(node); !slices.Equal(got, want) {
			t.Errorf("the members with %s are %v, want %v", node, got, want)
		}
	}
}

func TestCheckOfACreate(t *testing.T) {
	notReady := func(at int) func(*still) {
		return func(s *still) { s.nodes[at].Status.Conditions[0].Status = corev1.ConditionFalse }
	}
	held := map[string]string{"cp-2": `"x" of "alice"`}
	const numbers = `2 of 3 members must stay in service, and without it 1 would (out: cp-2, held by "x" of "alice")`
	tests := map[string]struct {
		meet      func(*still)
		held      map[string]string
		override  bool
		openShift bool
		imported  string
		wantMay   bool
		want      string
	}{
		"all are in service":     {wantMay: true},
		"another is held":        {held: held, want: "cannot go into maintenance now: " + numbers},
		"another is not ready":   {meet: notReady(1), want: "(out: cp-2, not ready)"},
		"another has the taint":  {meet: func(s *still) { drainertest.Taint(v1beta1.DrainTaint)(s.nodes[1]) }, want: "(out: cp-2, in maintenance)"},
		"it is not ready itself": {meet: notReady(0), held: held, wantMay: true},
		"it is held itself":      {held: map[string]string{"cp-1": `"y" of "bob"`, "cp-2": `"x" of "alice"`}, wantMay: true},
		"another operator has it out": {
			meet: formerlyOut, held: held, imported: drainertest.NodeName, want: "cannot go into maintenance now: " + numbers,
		},
		"it is imported": {meet: formerlyOut, held: held, imported: "cp-1", wantMay: true},
		"it is imported, and given back since": {
			held: held, imported: "cp-1", want: "cannot go into maintenance now: " + numbers,
		},
		"it is imported, and just cordoned since": {
			meet: func(s *still) { drainertest.Cordon(s.nodes[0]) }, held: held, imported: "cp-1", want: "cannot go into maintenance now: " + numbers,
		},
		"etcd objects, and it is imported": {openShift: true, meet: formerlyOut, imported: "cp-1", wantMay: true},
		"it overrides":                     {held: held, override: true, wantMay: true, want: "whatever follows: " + numbers},
		"it overrides needlessly":          {override: true, wantMay: true, want: "whatever follows: 2 of 3 members must stay in service, and without it 2 would"},
		"etcd objects":                     {openShift: true, want: "cannot go into maintenance now: etcd would lose its quorum"},
		"etcd objects, and it is not ready": {
			openShift: true, meet: notReady(0), want: "cannot go into maintenance now: etcd would lose its quorum",
		},
		"etcd objects, and it is held":   {openShift: true, held: map[string]string{"cp-1": `"y" of "bob"`}, wantMay: true},
		"etcd objects, and it overrides": {openShift: true, override: true, wantMay: true, want: "whatever follows"},
		"etcd objects, and too few stay": {openShift: true, held: held, want: numbers},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := drainertest.NewServer(drainertest.Hooks{})
			server.Add(etcdBudget("etcd-guard-pdb", 0), guardPod("guard", "cp-1", corev1.ConditionTrue))
			s := controlPlane("cp-1", "cp-2", "cp-3")
			if test.meet != nil {
				test.meet(s)
			}
			may, got, err := New(s, server.Kube, test.openShift).Check(t.Context(), "cp-1", test.override, imported(test.imported), test.held)
			if err != nil || may != test.wantMay || (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %t, %q, %v, want %t and %q", may, got, err, test.wantMay, test.want)
			}
		})
	}
}

// A node that was let pass counts at a create, too, before its cordon shows.
func TestCheckCountsWhatWasLetPass(t *testing.T) {
	s := controlPlane("cp-1", "cp-2", "cp-3")
	g := s.guard()
	_ = s.asks(t, g, "cp-2")
	if may, got, err := g.Check(context.Background(), "cp-1", false, nil, nil); may || err != nil || !strings.Contains(got, "(out: cp-2, in maintenance)") {
		t.Errorf("got %t, %q, %v, want it refused", may, got, err)
	}
}
