// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestMain(m *testing.M) { os.Exit(drainertest.Main(m.Run)) }

// world is a simulated cluster whose every change is checked.
type world struct {
	*drainertest.Server
	t *testing.T
	// limit is how many entries the ledger may have, and nodes may be cordoned; negative: any.
	limit int
	// ledgers are all revisions of the ledger.
	ledgers []*v1beta1.MaintenanceLedger
	// statusWrites is how often statuses of policies were written.
	statusWrites int
	// replicas are all that were started.
	replicas []*replica
	// offset is how far the clocks of replicas are ahead that are started.
	offset time.Duration
	// late is a policy that the watches deliver a minute late, and lateAt its version.
	late   string
	lateAt atomic.Int64
}

// inWorld runs a test in a bubble of its own time.
func inWorld(t *testing.T, limit int, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, limit: limit}
		w.Server = drainertest.NewServer(drainertest.Hooks{Changed: w.changed, Lag: w.lag})
		defer func() {
			for _, r := range w.replicas {
				r.stop()
			}
		}()
		test(w)
	})
}

// changed checks what must always be so. It is called under the server's lock.
func (w *world) changed(before, after drainertest.Object) {
	switch o := after.(type) {
	case *v1beta1.MaintenancePolicy:
		if before != nil && before.GetGeneration() == o.Generation {
			w.statusWrites++
		}
		if version, err := strconv.ParseInt(o.ResourceVersion, 10, 64); err == nil && o.Name == w.late {
			w.lateAt.Store(version)
		}
	case *v1beta1.MaintenanceLedger:
		w.ledgers = append(w.ledgers, o)
		if w.limit >= 0 && len(o.Spec.Entries) > w.limit {
			w.t.Errorf("the ledger has %d entries, want at most %d: %+v", len(o.Spec.Entries), w.limit, o.Spec.Entries)
		}
		for _, node := range drainertest.All[*corev1.Node](w.Store) {
			w.wantEntry(o, node)
		}
	case *corev1.Node:
		w.wantEntry(drainertest.Find[*v1beta1.MaintenanceLedger](w.Store, "", v1beta1.LedgerName), o)
	}
}

func (w *world) lag(version int) time.Duration {
	if int64(version) == w.lateAt.Load() {
		return time.Minute
	}
	return 0
}

func (w *world) hasPolicies() bool {
	return len(drainertest.All[*v1beta1.MaintenancePolicy](w.Store)) > 0
}

// wantEntry wants a cordoned node to be in the ledger, as one that was not given back, if policies limit all nodes. The
// first revision says nothing yet.
func (w *world) wantEntry(ledger *v1beta1.MaintenanceLedger, node *corev1.Node) {
	if w.limit < 0 || !ours(node) || !w.hasPolicies() || len(w.ledgers) < 2 {
		return
	}
	if ledger == nil {
		w.t.Errorf("node %s is cordoned, and there is no ledger", node.Name)
		return
	}
	if entry := entryOf(ledger, node.Name); entry == nil || entry.GivenBackTime != nil {
		w.t.Errorf("node %s is cordoned, and the ledger says %+v", node.Name, entry)
	}
}

// nodes adds Ready nodes w-1 and so on, in the pool web, and in zones a and b in turn.
func (w *world) nodes(count int) {
	for i := range count {
		if drainertest.Get[*corev1.Node](w.Server, "", fmt.Sprintf("w-%d", i+1)) != nil {
			continue
		}
		w.Add(drainertest.Node{
			Name: fmt.Sprintf("w-%d", i+1), Labels: map[string]string{"pool": "web", "zone": string(rune('a' + i%2))},
			Change: func(n *corev1.Node) { n.CreationTimestamp = metav1.NewTime(time.Now().Add(-24 * time.Hour)) },
		}.Object())
	}
}

// holds adds one hold for each of the nodes w-1 and so on, named as these.
func (w *world) holds(count int) {
	for i := range count {
		w.hold(fmt.Sprintf("w-%d", i+1))
	}
}

func (w *world) hold(name string, changes ...func(*v1beta1.NodeMaintenance)) {
	w.Add(drainertest.Hold{Name: name, Node: name, Created: time.Now(), Change: func(h *v1beta1.NodeMaintenance) {
		for _, change := range changes {
			change(h)
		}
	}}.Object())
}

// policy adds a policy for the pool web.
func (w *world) policy(name string, changes ...func(*v1beta1.MaintenancePolicySpec)) {
	policy := &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: drainertest.UID(name), Generation: 1},
		Spec:       v1beta1.MaintenancePolicySpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}},
	}
	for _, change := range changes {
		change(&policy.Spec)
	}
	w.Add(policy)
}

func (w *world) changePolicy(name string, change func(*v1beta1.MaintenancePolicySpec)) {
	drainertest.Change(w.Server, &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}, func(p *v1beta1.MaintenancePolicy) {
		p.Generation++
		change(&p.Spec)
	})
}

func (w *world) deletePolicy(name string) {
	w.Remove(drainertest.Get[*v1beta1.MaintenancePolicy](w.Server, "", name))
}

// losePolicy has the policy be unreadable, but for its selector if that is given.
func (w *world) losePolicy(name string, selector *metav1.LabelSelector) {
	drainertest.Lose(w.Server, drainertest.Get[*v1beta1.MaintenancePolicy](w.Server, "", name), func(p *v1beta1.MaintenancePolicy) {
		p.Spec.NodeSelector = selector
	})
}

// end deletes the hold of that name.
func (w *world) end(name string) {
	w.Delete(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", name))
}

func maxConcurrent(limit int) func(*v1beta1.MaintenancePolicySpec) {
	return func(spec *v1beta1.MaintenancePolicySpec) {
		value := intstr.FromInt(limit)
		spec.Limits.MaxConcurrent = &value
	}
}

// settle lets everything happen that happens soon.
func (w *world) settle() { w.wait(2 * time.Second) }

func (w *world) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ledger is what the ledger says; empty if there is none.
func (w *world) ledger() v1beta1.MaintenanceLedgerSpec {
	if stored := drainertest.Get[*v1beta1.MaintenanceLedger](w.Server, "", v1beta1.LedgerName); stored != nil {
		return stored.Spec
	}
	return v1beta1.MaintenanceLedgerSpec{}
}

// cordoned are the names of the nodes that carry marks.
func (w *world) cordoned() (names []string) {
	w.Locked(func() {
		for _, node := range drainertest.All[*corev1.Node](w.Store) {
			if ours(node) {
				names = append(names, node.Name)
			}
		}
	})
	return names
}

func (w *world) wantCordoned(want ...string) {
	w.t.Helper()
	if got := w.cordoned(); !slices.Equal(got, want) {
		w.t.Errorf("%v are cordoned, want %v; ledger %+v", got, want, w.ledger())
	}
}

// nextHold is the name of the next node without a hold.
func (w *world) nextHold() string { return fmt.Sprintf("w-%d", w.held()+1) }

// held is how many holds are not being deleted.
func (w *world) held() (count int) {
	w.Locked(func() {
		for _, hold := range drainertest.All[*v1beta1.NodeMaintenance](w.Store) {
			if hold.DeletionTimestamp.IsZero() {
				count++
			}
		}
	})
	return count
}

// losing has requests be carried out, and their answers be lost.
func losing(verb, resource string) drainertest.Fault {
	failing := drainertest.Failing(verb, resource, drainertest.ServerDown())
	return func(action clienttesting.Action) (bool, error) {
		_, failure := failing(action)
		return true, failure
	}
}
