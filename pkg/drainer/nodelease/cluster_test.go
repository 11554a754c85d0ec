// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
)

// healthCheck is another operator.
const healthCheck = "node-healthcheck"

// cluster is a simulated API server with one node and two pods, and a drainer with a Gate at work.
type cluster struct {
	*drainertest.Server
	t    *testing.T
	form Form
	stop func()
	// events are those of the drainer that is at work.
	events *record.FakeRecorder
}

// inCluster runs a test in a bubble of its own time. What is left running fails the test.
func inCluster(t *testing.T, form Form, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{Server: drainertest.NewServer(drainertest.Hooks{}), t: t, form: form}
		c.Add(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2"}.Object())
		c.start()
		defer func() { c.stop() }()
		test(c)
	})
}

// start runs a drainer with a new Gate, as a new process does.
func (c *cluster) start() {
	c.t.Helper()
	c.events = record.NewFakeRecorder(10000)
	process, err := drainer.New(drainer.Config{
		Maintenance: c.Maintenance, Kube: c.Kube, Evictions: typedEvicter{Client: eviction.NewClient(c.Kube), kube: c.Kube},
		Recorder: c.events, StoreID: drainertest.StoreID, Gates: []drainer.Gate{New(Config{Kube: c.Kube, Form: c.form})},
	})
	if err != nil {
		c.t.Fatal(err)
	}
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

// typedEvicter evicts through the typed client, which fake clientsets can answer.
type typedEvicter struct {
	eviction.Client
	kube kubernetes.Interface
}

func (e typedEvicter) Evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.kube.PolicyV1().Evictions(pod.Namespace).Evict(ctx, eviction.NewEviction(pod, gracePeriodSeconds))
}

// What people and other controllers do.

func (c *cluster) create(hold drainertest.Hold) {
	c.Add(hold.Object())
	c.wait(2 * time.Second) // its first status may be written a while after its creation
}

func (c *cluster) delete(hold string) {
	c.Delete(c.hold(hold))
	c.wait(0)
}

// steal gives the node's lease to another operator, as it does when ours has expired.
func (c *cluster) steal(lasts time.Duration) {
	c.Replace(drainertest.Lease{
		Name: c.form.leaseOf(drainertest.NodeName), Namespace: c.form.DefaultNamespace(),
		Holder: healthCheck, Renewed: time.Now().Truncate(time.Second), Lasts: lasts,
	}.Object())
	c.wait(0)
}

// free removes the node's lease.
func (c *cluster) free() {
	c.Remove(c.lease())
	c.wait(0)
}

// What there is.

func (c *cluster) hold(name string) *v1beta1.NodeMaintenance {
	return drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", name)
}

func (c *cluster) node() *corev1.Node {
	return drainertest.Get[*corev1.Node](c.Server, "", drainertest.NodeName)
}

// lease is the node's lease; nil when there is none.
func (c *cluster) lease() *coordinationv1.Lease {
	c.t.Helper()
	return drainertest.Get[*coordinationv1.Lease](c.Server, c.form.DefaultNamespace(), c.form.leaseOf(drainertest.NodeName))
}

// requests are how often our clients made requests about leases, by verb. Watches and lists are the informer's.
func (c *cluster) requests(verb string) int {
	return len(slices.DeleteFunc(slices.Clone(c.Kube.Actions()), func(action clienttesting.Action) bool {
		return action.GetResource() != drainertest.Leases || action.GetVerb() != verb
	}))
}

func (c *cluster) writes() int {
	return c.requests("create") + c.requests("update") + c.requests("patch") + c.requests("delete")
}

// said is what the status of a hold says of the lease.
type said struct {
	Phase     v1beta1.MaintenancePhase
	Reason    string
	Message   string
	LastError string
	Count     int32
}

func (c *cluster) says(hold string) said {
	status := c.hold(hold).Status
	condition := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionCordoned)
	if condition == nil {
		c.t.Fatalf("hold %s says nothing: %+v", hold, status)
	}
	return said{
		Phase: status.Phase, Reason: condition.Reason, Message: condition.Message,
		LastError: status.LastError, Count: status.LeaseErrorCount,
	}
}

// wantNode wants the node to be cordoned or not, and the pods to have been evicted so often.
func (c *cluster) wantNode(wantCordoned bool, wantEvictions ...int) {
	c.t.Helper()
	if got := c.node().Spec.Unschedulable; got != wantCordoned {
		c.t.Errorf("the node is cordoned: %t, want %t", got, wantCordoned)
	}
	for i, want := range wantEvictions {
		pod := fmt.Sprintf("web-%d", i+1)
		if got := c.Evictions(drainertest.UID(pod)); got != want {
			c.t.Errorf("pod %s was evicted %d times, want %d", pod, got, want)
		}
	}
}

// What follows is for faults, which are called under the lock of the server.

// cordonedLocked says whether the node is cordoned.
func (c *cluster) cordonedLocked() bool {
	return drainertest.Find[*corev1.Node](c.Store, "", drainertest.NodeName).Spec.Unschedulable
}

func (c *cluster) hasNamespaceLocked(name string) bool {
	return drainertest.Find[*corev1.Namespace](c.Store, "", name) != nil
}

// noting matches every request, and notes whether something was so at one of them.
func noting(seen *bool, is func() bool) func(clienttesting.Action) bool {
	return func(clienttesting.Action) bool {
		*seen = *seen || is()
		return true
	}
}

// allOf is all of the faults.
func allOf(faults ...drainertest.Fault) drainertest.Fault {
	return func(action clienttesting.Action) (carriedOut bool, failure error) {
		for _, fault := range faults {
			if carriedOut, failure = fault(action); failure != nil {
				return carriedOut, failure
			}
		}
		return false, nil
	}
}

// noNamespace is the answer to the create of an object in a namespace that does not exist.
func noNamespace() error {
	return apierrors.NewNotFound(corev1.Resource("namespaces"), "medik8s-leases")
}
