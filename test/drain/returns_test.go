// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// returning is a Deployment whose pods come back to the node, and how that ends.
type returning struct {
	// option has the pods come back, besides their toleration of everything if tolerant.
	option   func(p *pool) localcluster.PodOption
	tolerant bool
	// words are in the blocker's message, planned in the message of each planned pod.
	words   []string
	planned string
	// cure is a patch of the Deployment that has its pods stay away.
	cure string
}

// A Deployment puts its pods back on the node: it is evicted seldom, the plan and the status say so, and
// the drain goes on when the cause is removed.
func TestPodsThatComeBack(t *testing.T) {
	t.Parallel()
	tests := map[string]returning{
		"tolerate the cordon and select the node": {
			option: (*pool).Selector, tolerant: true,
			words:   []string{"a toleration of every taint", "nodeSelector", "remove the toleration or that selection"},
			planned: "comes back: it tolerates the cordon, and fits only on node",
			cure:    `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null},"template":{"spec":{"tolerations":null}}}}`,
		},
		"name the node": {
			option:  func(p *pool) localcluster.PodOption { return localcluster.OnNode(p.Nodes[0]) },
			words:   []string{"spec.nodeName", "have the controller leave the choice of the node to the scheduler"},
			planned: "comes back: its controller names node",
			cure:    `{"spec":{"replicas":0}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

func (r returning) check(t *testing.T) {
	t.Helper()
	p := newPool(t, 1)
	options := []localcluster.PodOption{r.option(p), localcluster.TerminationDelay(300 * time.Millisecond)}
	if r.tolerant {
		options = append(options, localcluster.Tolerate(""))
	}
	p.Run(t, p.workload().Deployment("pinned", 2, options...).Pod("free", localcluster.OnNode(p.Nodes[0])))
	hold := p.Hold("a", p.Nodes[0])
	r.wantPlanned(t, p, p.dryRun(t, hold))
	out := p.Kubectl().Try(t, manifest(t, hold), "create", "-f", "-")
	if want := fmt.Sprintf("pods of node %q will come back, so that it is never drained: 2 (", p.Nodes[0]); !strings.Contains(out.Stderr, want) {
		t.Errorf("create warns %q, want %q in it", out.Stderr, want)
	}
	blocked := p.WaitForHold(t, hold.Name, "told that pods come back", func(nm *v1beta1.NodeMaintenance) bool {
		return len(p.returned(nm)) == 2 && strings.Contains(nm.Status.Blockers[0].Message, "5 pods of Deployment/")
	})
	r.wantBlocked(t, p, blocked)

	p.patchDeployment(t, "pinned", r.cure)
	p.WaitForHold(t, hold.Name, "drained in the end", succeeded)
	p.wantApps(t, p.Nodes[0], map[string]int{})
}

func (r returning) wantPlanned(t *testing.T, p *pool, plan *v1beta1.DrainPlanStatus) {
	t.Helper()
	if len(plan.ReturningPods) != 2 {
		t.Errorf("the plan has returning pods %v, want the 2 of the Deployment", plan.ReturningPods)
	}
	for _, pod := range plan.Pods {
		pinned := strings.HasPrefix(pod.Pod, p.Name+"/pinned-")
		if strings.HasPrefix(pod.Message, r.planned) != pinned {
			t.Errorf("the plan says of pod %s %q, want %q of the Deployment's alone", pod.Pod, pod.Message, r.planned)
		}
	}
}

func (r returning) wantBlocked(t *testing.T, p *pool, nm *v1beta1.NodeMaintenance) {
	t.Helper()
	if c := condition(nm, v1beta1.ConditionDrained); c.Status != metav1.ConditionFalse {
		t.Errorf("condition Drained is %+v, want False", c)
	}
	if c := condition(nm, v1beta1.ConditionBlocked); c.Status != metav1.ConditionTrue || c.Reason != string(v1beta1.BlockerPodsReturn) {
		t.Errorf("condition Blocked is %+v, want True for PodsReturn", c)
	}
	if nm.Status.EvictionPods > 6 {
		t.Errorf("%d pods are counted, want at most 2 places more than the 3 pods, and 1 that is leaving", nm.Status.EvictionPods)
	}
	for _, blocker := range p.returned(nm) {
		if want := "Deployment/" + p.Name + "/pinned"; blocker.Object != want || !blocker.Permanent {
			t.Errorf("the blocker is %+v, want one for good by %s", blocker, want)
		}
		for _, word := range append(r.words, "cordoned node "+p.Nodes[0], "action Skip") {
			if !strings.Contains(blocker.Message, word) {
				t.Errorf("the message %q lacks %q", blocker.Message, word)
			}
		}
	}
	if got := p.pods.deleted(); got > 6 {
		t.Errorf("%d pods were evicted until the third return, want the 3, and 3 that came back", got)
	}
}

// returned are the blockers of pods that came back.
func (p *pool) returned(nm *v1beta1.NodeMaintenance) []v1beta1.DrainBlocker {
	var found []v1beta1.DrainBlocker
	for _, b := range nm.Status.Blockers {
		if b.Reason == v1beta1.BlockerPodsReturn && b.Permanent {
			found = append(found, b)
		}
	}
	return found
}

func (p *pool) patchDeployment(t *testing.T, name, patch string) {
	t.Helper()
	_, err := p.Kube.AppsV1().Deployments(p.Name).Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch deployment %s: %v", name, err)
	}
}
