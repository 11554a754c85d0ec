// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// cluster is a simulated API server with one node, and a drainer with Gates at work.
type cluster struct {
	*drainertest.Server
	t          *testing.T
	prometheus *fakePrometheus
	admitter   *fakeAdmitter
	stop       func()
	// gates are those of the drainer that is at work.
	gates *Gates
	// events are those of the drainer that is at work.
	events *record.FakeRecorder
}

// inCluster runs a test in a bubble of its own time. What is left running fails it.
func inCluster(t *testing.T, policies []*v1beta1.MaintenancePolicy, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{
			Server: drainertest.NewServer(drainertest.Hooks{}), t: t,
			prometheus: newFakePrometheus(), admitter: newFakeAdmitter(policies...),
		}
		c.admitter.entries[drainertest.NodeName] = &v1beta1.LedgerEntry{
			Node: drainertest.NodeName, NodeUID: drainertest.UID(drainertest.NodeName),
		}
		c.Add(drainertest.Node{}.Object())
		c.start()
		defer func() { c.stop() }()
		test(c)
	})
}

// known is what a drainer knows, with the NodeMaintenances of its cache.
type known struct {
	*drainer.Drainer
	server *drainertest.Server
}

func (k known) Holds() (holds []*v1beta1.NodeMaintenance, err error) {
	k.server.Locked(func() { holds = drainertest.All[*v1beta1.NodeMaintenance](k.server.Store) })
	return holds, nil
}

// start runs a drainer with new Gates, as a new process does.
func (c *cluster) start() {
	c.t.Helper()
	c.events = record.NewFakeRecorder(10000)
	process, err := drainer.New(drainer.Config{
		Maintenance: c.Maintenance, Kube: c.Kube, Recorder: c.events, StoreID: drainertest.StoreID,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	gates, err := New(Config{
		Cluster: known{Drainer: process, server: c.Server}, Admitter: c.admitter, Kube: c.Kube, Prometheus: c.prometheus,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.gates = gates
	process.AskFirst(gates)
	logger := ktesting.NewLogger(c.t, ktesting.NewConfig(ktesting.Verbosity(2)))
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logger))
	ended := make(chan struct{})
	go func() {
		process.Run(ctx, ctx)
		close(ended)
	}()
	c.stop = func() {
		cancel()
		<-ended
		c.stop = func() {}
	}
	c.wait(0)
}

// wait lets time pass, and then a moment more, for retries after conflicts.
func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	time.Sleep(500 * time.Millisecond)
	synctest.Wait()
}

// What people and other controllers do.

// take has hold a take the node out of service.
func (c *cluster) take() {
	c.t.Helper()
	c.Add(drainertest.Hold{Name: "a"}.Object())
	c.wait(2 * time.Second)
	c.wantCordoned(true)
}

func (c *cluster) delete(hold string) {
	c.Delete(c.hold(hold))
	c.wait(0)
}

func (c *cluster) change(hold string, change func(*v1beta1.NodeMaintenance)) {
	changed := c.hold(hold).DeepCopy()
	changed.Generation++
	change(changed)
	c.Replace(changed)
	c.wait(time.Second)
}

// say has the query answered so, and waits until everybody knows.
func (c *cluster) say(query, why string) {
	c.prometheus.say(query, why)
	c.wait(askInterval)
}

// ready sets the node's condition Ready.
func (c *cluster) ready(status corev1.ConditionStatus) {
	node := c.node().DeepCopy()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.Now()}}
	c.Replace(node)
	c.wait(0)
}

// What there is.

func (c *cluster) hold(name string) *v1beta1.NodeMaintenance {
	return drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", name)
}

func (c *cluster) node() *corev1.Node {
	return drainertest.Get[*corev1.Node](c.Server, "", drainertest.NodeName)
}

func (c *cluster) wantCordoned(want bool) {
	c.t.Helper()
	if got := c.node().Spec.Unschedulable; got != want {
		c.t.Errorf("the node is cordoned: %t, want %t", got, want)
	}
}

// wantKept wants hold a to say what the node waits for.
func (c *cluster) wantKept(wantReason, wantMessage string) {
	c.t.Helper()
	c.wantCordoned(true)
	hold := c.hold("a")
	if hold == nil {
		c.t.Fatal("the hold is gone")
	}
	released := apimeta.FindStatusCondition(hold.Status.Conditions, v1beta1.ConditionReleased)
	if released == nil {
		c.t.Fatalf("the hold does not say that the node is kept: %+v", hold.Status)
	}
	if released.Reason != wantReason || !strings.HasPrefix(released.Message, wantMessage) || released.Status != metav1.ConditionFalse {
		c.t.Errorf("condition %s=%s, %s: %s\nwant %s: %s", released.Type, released.Status, released.Reason, released.Message, wantReason, wantMessage)
	}
	if hold.Status.LastError != released.Message {
		c.t.Errorf("lastError is %q, want the message", hold.Status.LastError)
	}
}

// wantGivenBack wants the node to be given back, and hold a to have ended.
func (c *cluster) wantGivenBack() {
	c.t.Helper()
	c.wantCordoned(false)
	if hold := c.hold("a"); hold != nil {
		c.t.Errorf("the hold is still there: %+v", hold.Status)
	}
	if entry, _ := c.admitter.Entry(drainertest.NodeName); entry.ReleaseTime != nil {
		c.t.Errorf("the ledger still says that the node is kept since %s", entry.ReleaseTime)
	}
}

// held are the events ReleaseHeld since the last call: each is written on the hold and on its node.
func (c *cluster) held() (events []string) {
	for {
		select {
		case event := <-c.events.Events:
			if strings.Contains(event, " ReleaseHeld ") {
				events = append(events, event)
			}
		default:
			return events
		}
	}
}

// requests are how many requests of that kind there were: "list pods", for example.
func (c *cluster) requests(verb, resource string) (times int) {
	for _, action := range c.Kube.Actions() {
		if action.Matches(verb, resource) {
			times++
		}
	}
	return times
}
