// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// newLongFleet has more nodes with holds than the ledger has room for, since all names are long.
func newLongFleet() *fleet {
	f := newFleet("")
	for i := range 800 {
		name := fmt.Sprintf("w-%03d-%s", i, strings.Repeat("n", 240))
		f.addNode(name, map[string]string{corev1.LabelTopologyZone: strings.Repeat("z", 63)})
		f.hold(fmt.Sprintf("h-%03d", i), name)
	}
	for i := range 4 {
		spec := f.policy(fmt.Sprintf("p-%d-%s", i, strings.Repeat("p", 240)))
		spec.Limits.Topology = []v1beta1.TopologyLimit{{Key: corev1.LabelTopologyZone, MaxConcurrent: limit("100%")}}
	}
	return f
}

func (f *fleet) wantLedgerFits(t *testing.T) {
	t.Helper()
	if got := size(f.Ledger); got > maxLedger || got < maxLedger*9/10 {
		t.Errorf("the ledger has %d bytes, want nearly %d", got, maxLedger)
	}
}

// The ledger has no room for all that may start. The others wait, also those that bypass the policies, and go on when some
// were given back.
func TestLedgerIsFull(t *testing.T) {
	f := newLongFleet()
	last := f.Holds[len(f.Holds)-1]
	o := f.decide()
	f.wantLedgerFits(t)
	if got := waitsOf(o, string(last.UID)); got != fullText {
		t.Errorf("the last hold waits for %q, want %q", got, fullText)
	}
	last.Spec.BypassPolicies = true
	if got := waitsOf(f.decide(), string(last.UID)); got != fullText {
		t.Errorf("the last hold, which bypasses the policies, waits for %q, want %q", got, fullText)
	}
	f.end(o.Ledger.Entries[0].Node)
	o = f.decide()
	if got := waitsOf(o, string(last.UID)); got != "" {
		t.Errorf("the last hold still waits for %q", got)
	}
	f.wantLedgerFits(t)
}

// The first policies find more nodes in maintenance than the ledger has room for. Nothing starts until all are entered.
func TestLedgerIsFullOfAdopted(t *testing.T) {
	f := newLongFleet()
	for _, h := range f.Holds {
		f.take(h)
	}
	f.addNode("free", map[string]string{})
	f.hold("h-free", "free")
	o := f.decide()
	f.wantLedgerFits(t)
	if o.Holds["h-free"].Stage != v1beta1.StageIdle {
		t.Error("a node starts although others are not entered yet")
	}
	adopted := len(o.Ledger.Entries)
	for _, e := range o.Ledger.Entries[:300] {
		f.end(e.Node)
	}
	f.decide()
	o = f.decide()
	if got := len(o.Ledger.Entries); got != 501 || o.Holds[types.UID("h-free")].Stage != v1beta1.StageDrain {
		t.Errorf("%d are entered after %d, want all 501; h-free waits for %s", got, adopted, waitsOf(o, "h-free"))
	}
}

// One node in maintenance takes this much of the ledger, with UIDs as API servers give them. Decision record 0023 has the
// numbers.
func TestLedgerEntrySize(t *testing.T) {
	const uid = "9d3a8e52-6c41-4f0e-8b7a-2f6f0c1d5e93"
	for name, tc := range map[string]struct {
		node     string
		policies []string
		// domains are limited by the first policy. A pace has the ledger also keep each start.
		domains map[string]string
		pace    bool
		want    int
	}{
		"one policy":               {"worker-17", []string{"workers"}, nil, false, 272},
		"one policy with a pace":   {"worker-17", []string{"workers"}, nil, true, 349},
		"one policy with one zone": {"worker-17", []string{"workers"}, map[string]string{corev1.LabelTopologyZone: "eu-central-1a"}, false, 346},
		"long names, two policies, three domains": {
			"ip-10-0-123-145.eu-central-1.compute.internal",
			[]string{"batch-workers-of-berlin", "weekly-patching-of-pools"},
			map[string]string{corev1.LabelTopologyZone: "eu-central-1a", "topology.kubernetes.io/rack": "rack-b-17", corev1.LabelTopologyRegion: "eu-central-1"},
			true, 829,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("")
			f.addNode(tc.node, tc.domains).UID = uid
			f.hold("h", tc.node).UID = uid
			for i, policy := range tc.policies {
				spec := f.policy(policy)
				if tc.pace {
					spec.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](5), PerSeconds: ptr.To[int64](3600)}
				}
				for key := range tc.domains {
					if i == 0 {
						spec.Limits.Topology = append(spec.Limits.Topology, v1beta1.TopologyLimit{Key: key, MaxConcurrent: limit("1")})
					}
				}
			}
			ledger := f.decide().Ledger
			got := size(ledger.Entries[0])
			for _, start := range ledger.Starts {
				got += size(start)
			}
			if got != tc.want {
				t.Errorf("an entry takes %d bytes, want %d: %+v", got, tc.want, ledger)
			}
		})
	}
}
