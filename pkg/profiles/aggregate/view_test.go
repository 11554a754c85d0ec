// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// world are all objects. It answers by walking through them.
type world struct {
	profiles     map[string]*v1beta1.MaintenanceProfile
	nodes        map[string]*corev1.Node
	nodeProfiles map[string]*v1beta1.NodeProfile
	compiled     evaluation.Cache
}

// sorted are the nodes that match, by name.
func (w *world) sorted(matches func(*corev1.Node) bool) []*corev1.Node {
	var found []*corev1.Node
	for _, n := range w.nodes {
		if matches(n) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

func (w *world) NodeCount() int { return len(w.nodes) }

func (w *world) AnyNode(key string, value *string) (string, bool) {
	found := w.sorted(func(n *corev1.Node) bool {
		is, has := n.Labels[key]
		return has && (value == nil || is == *value)
	})
	if len(found) == 0 {
		return "", false
	}
	return found[0].Name, true
}

func (w *world) HighestVersion(key string, parse v1beta1.VersionParse, profile string) (highest, node string, ok bool) {
	for _, n := range w.sorted(func(*corev1.Node) bool { return true }) {
		value := n.Labels[key]
		version, err := evaluation.ParseVersion(value, parse)
		if err != nil || profile != "" && w.nodeProfiles[n.Name+"."+profile] == nil {
			continue
		}
		if before, err := evaluation.ParseVersion(highest, parse); err != nil || version.GT(before) {
			highest, node, ok = value, n.Name, true
		}
	}
	return highest, node, ok
}

func (w *world) Labels(node string) (map[string]string, bool) {
	n, found := w.nodes[node]
	if !found {
		return nil, false
	}
	return n.Labels, true
}

func (w *world) Carries(node, alias string) bool {
	for _, p := range w.profiles {
		if p.AliasOrName() == alias {
			return w.nodeProfiles[node+"."+p.Name] != nil
		}
	}
	return false
}

func (w *world) InState(profile string, state v1beta1.ProfileState) []evaluation.Member {
	var found []evaluation.Member
	for _, np := range w.nodeProfiles {
		if np.Spec.Profile == profile && stateOf(np) == state {
			found = append(found, memberOf(np))
		}
	}
	slices.SortFunc(found, func(a, b evaluation.Member) int { return cmp.Compare(a.Node, b.Node) })
	return found
}

// asks is a profile of the random worlds. Every other generation has an alias, and asks less.
func asks(name string, generation int64) *v1beta1.MaintenanceProfile {
	tolerant := v1beta1.ProfileCheck{ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "k", Parse: v1beta1.VersionTolerant}}
	checks := []v1beta1.ProfileCheck{anyCheck, anyValueCheck, countCheck, versionCheck, scopedCheck, roomCheck, tolerant}
	if generation%2 == 0 {
		checks = checks[:4]
	}
	p := newProfile(name, checks...)
	p.Generation = generation
	if generation%2 == 0 {
		p.Spec.Alias = "the-" + name
	}
	return p
}

// answersOf is everything that the profiles ask. A profile that is not there asks nothing.
func answersOf(c evaluation.Cluster, w *world) string {
	var text strings.Builder
	fmt.Fprintln(&text, "nodes", c.NodeCount())
	for name := range w.nodes {
		for _, alias := range []string{"p", "q", "the-p", "the-q"} {
			if c.Carries(name, alias) {
				fmt.Fprintln(&text, "carries", name, alias)
			}
		}
	}
	for _, profile := range []string{"p", "q"} {
		for _, state := range states {
			fmt.Fprintln(&text, profile, state, c.InState(profile, state))
		}
		if p := w.profiles[profile]; p != nil {
			askAll(&text, c, p)
		}
	}
	return lines(text.String())
}

func askAll(text *strings.Builder, c evaluation.Cluster, p *v1beta1.MaintenanceProfile) {
	for _, check := range p.Spec.Checks {
		switch {
		case check.AnyNode != nil:
			node, ok := c.AnyNode(check.AnyNode.Key, check.AnyNode.Value)
			fmt.Fprintln(text, "any", ptr.Deref(check.AnyNode.Value, "*"), node, ok)
		case check.ClusterVersion != nil:
			v := versionsOf(check.ClusterVersion, p.Name)
			highest, node, ok := c.HighestVersion(v.label, v.parse, v.profile)
			fmt.Fprintln(text, "version", v, highest, node, ok)
		}
	}
}

func lines(text string) string {
	sorted := strings.Split(text, "\n")
	slices.Sort(sorted)
	return strings.Join(sorted, "\n")
}

// TestAnswersAreThoseOfAWalk changes random worlds, and compares each answer with that of a walk through all objects. Whoever
// is not woken must have the same answers as before.
func TestAnswersAreThoseOfAWalk(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			a := newTestAggregate()
			w := &world{
				profiles: map[string]*v1beta1.MaintenanceProfile{}, nodes: map[string]*corev1.Node{},
				nodeProfiles: map[string]*v1beta1.NodeProfile{},
			}
			for i := range 150 {
				before := verdicts(w)
				woken := disturb(r, a, w, int64(i+1))
				a.View(func(c evaluation.Cluster) {
					if diff := gocmp.Diff(answersOf(w, w), answersOf(c, w)); diff != "" {
						t.Fatalf("step %d: answers (-want +got):\n%s", i, diff)
					}
				})
				for name, verdict := range verdicts(w) {
					if was, known := before[name]; known && was != verdict && !slices.Contains(woken, name) {
						t.Fatalf("step %d: %s was not woken:\nbefore %s\nafter  %s", i, name, was, verdict)
					}
				}
			}
		})
	}
}

// disturb changes one object of the world.
func disturb(r *rand.Rand, a *Aggregate, w *world, generation int64) []string {
	name, profile := fmt.Sprintf("w-%d", r.IntN(6)), []string{"p", "q"}[r.IntN(2)]
	values := []string{"v", "1.0.0", "1.0", "v1.1.0", "1.2.0", "1.2.0+b", "1.10.0", "2.0.0-rc.1", "x"}
	switch r.IntN(12) {
	case 0:
		delete(w.nodes, name)
		return a.DeleteNode(name)
	case 1, 2, 3, 4:
		w.nodes[name] = newNode(name, has(values[r.IntN(len(values))]))
		if r.IntN(5) == 0 {
			w.nodes[name].Labels = nil
		}
		return a.SetNode(w.nodes[name])
	case 5:
		w.profiles[profile] = asks(profile, generation)
		return a.SetProfile(w.profiles[profile])
	case 6:
		if r.IntN(4) > 0 {
			return nil
		}
		delete(w.profiles, profile)
		a.DeleteProfile(profile)
		return nil
	case 7:
		np := onNode(name, profile, "")
		delete(w.nodeProfiles, np.Name)
		return a.DeleteNodeProfile(np)
	default:
		np := onNode(name, profile, states[r.IntN(3)])
		w.nodeProfiles[np.Name] = np
		return a.SetNodeProfile(np)
	}
}

// verdicts are the results of all checks of each NodeProfile, by a walk.
func verdicts(w *world) map[string]string {
	all := map[string]string{}
	for name, np := range w.nodeProfiles {
		p := w.profiles[np.Spec.Profile]
		if p == nil {
			continue
		}
		outcome := w.compiled.Evaluate(evaluation.Facts{
			Profile: p, NodeProfile: np, Node: w.nodes[np.Spec.NodeName], Cluster: w,
		})
		var results []string
		for _, c := range outcome.Checks {
			results = append(results, fmt.Sprintf("%s=%s", c.Name, c.Result))
		}
		all[name] = strings.Join(results, " ")
	}
	return all
}

func TestRequired(t *testing.T) {
	a := newTestAggregate()
	for _, node := range []string{"w-2", "w-1", "w-3"} {
		a.SetNodeProfile(onNode(node, "p", v1beta1.ProfileMaintenanceRequired))
	}
	a.SetNodeProfile(onNode("w-3", "p", v1beta1.ProfileInMaintenance))
	if diff := gocmp.Diff([]string{"w-1", "w-2"}, a.Required("p")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An evaluation that takes long holds up neither changes nor other evaluations.
func TestViewHoldsUpNobody(t *testing.T) {
	a := New()
	a.View(func(slow evaluation.Cluster) {
		a.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
		a.View(func(other evaluation.Cluster) {
			if slow.NodeCount() != 1 || other.NodeCount() != 1 {
				t.Errorf("%d and %d nodes, want 1", slow.NodeCount(), other.NodeCount())
			}
		})
	})
}
