// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// cluster is a cluster of fake clientsets that, unlike the bare ones, give objects resource
// versions, refuse stale writes, evaluate field selectors, keep spec and status apart, and end
// objects with their last finalizer.
type cluster struct {
	t           *testing.T
	kube        *kubefake.Clientset
	maintenance *maintenancefake.Clientset
	recorder    *record.FakeRecorder
	config      Config

	mu      sync.Mutex
	version int
	// evictions counts the eviction requests by pod UID.
	evictions map[types.UID]int
	// refuse answers the eviction of a pod by name; nil lets the pod go.
	refuse map[string]error
	// statusWrites are when the status of each hold was written.
	statusWrites map[string][]time.Time
	// writes counts the drainer's writes; writesFail says that the last one was made to fail.
	writes     int
	writesFail bool

	drainer *Drainer
	stop    func()
}

func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{
		t:            t,
		kube:         kubefake.NewSimpleClientset(),
		maintenance:  maintenancefake.NewSimpleClientset(),
		recorder:     record.NewFakeRecorder(10000),
		evictions:    map[types.UID]int{},
		refuse:       map[string]error{},
		statusWrites: map[string][]time.Time{},
	}
	c.config = Config{Maintenance: c.maintenance, Kube: c.kube, Recorder: c.recorder, StoreID: testStoreID}
	c.react(&c.kube.Fake, c.kube.Tracker())
	c.react(&c.maintenance.Fake, c.maintenance.Tracker())
	c.kube.PrependReactor("create", "pods", c.evict)
	for _, object := range objects {
		c.add(object)
	}
	return c
}

// start runs a drainer until the returned function, or stop, is called.
func (c *cluster) start() {
	c.t.Helper()
	drainer, err := New(c.config)
	if err != nil {
		c.t.Fatal(err)
	}
	drainer.dispatcher.evicter = typedEvicter{client: c.kube}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), ktesting.NewLogger(c.t, ktesting.NewConfig(ktesting.Verbosity(2)))))
	ended := make(chan struct{})
	go func() {
		drainer.Run(ctx)
		close(ended)
	}()
	c.drainer = drainer
	c.stop = func() {
		cancel()
		<-ended
		c.stop = func() {}
	}
	c.settle()
}

// settle lets everything happen that happens without the clock moving on, and a moment more:
// for retries after conflicts.
func (c *cluster) settle() {
	synctest.Wait()
	time.Sleep(500 * time.Millisecond)
	synctest.Wait()
}

// dropReactor takes away the reactor that was prepended last.
func dropReactor(fake *clienttesting.Fake) {
	fake.Lock()
	defer fake.Unlock()
	fake.ReactionChain = fake.ReactionChain[1:]
}

// typedEvicter evicts through the typed client, which fake clientsets can answer.
type typedEvicter struct{ client kubernetes.Interface }

func (e typedEvicter) evict(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, newEviction(pod, gracePeriodSeconds))
}

func (e typedEvicter) unprotected(ctx context.Context, pod *corev1.Pod) error {
	return apiEvicter(e).unprotected(ctx, pod)
}

func (e typedEvicter) delete(ctx context.Context, pod *corev1.Pod, gracePeriodSeconds *int64) error {
	return e.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *deleteOptions(pod, gracePeriodSeconds))
}

func (c *cluster) add(object runtime.Object) {
	c.t.Helper()
	if err := c.tracker(object).Add(c.stamp(object.DeepCopyObject())); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) tracker(object runtime.Object) clienttesting.ObjectTracker {
	if _, ours := object.(*v1beta1.NodeMaintenance); ours {
		return c.maintenance.Tracker()
	}
	return c.kube.Tracker()
}

func (c *cluster) stamp(object runtime.Object) runtime.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	accessor, err := meta.Accessor(object)
	if err != nil {
		c.t.Fatal(err)
	}
	accessor.SetResourceVersion(strconv.Itoa(c.version))
	return object
}

// evict is the eviction subresource: the pod is terminating from then on, and finish ends it.
func (c *cluster) evict(action clienttesting.Action) (bool, runtime.Object, error) {
	create, isCreate := action.(clienttesting.CreateAction)
	if !isCreate || action.GetSubresource() != "eviction" {
		return false, nil, nil
	}
	eviction := create.GetObject().(*policyv1.Eviction)
	pod, err := c.pod(eviction.Namespace, eviction.Name)
	if err != nil {
		return true, nil, err
	}
	c.mu.Lock()
	c.evictions[*eviction.DeleteOptions.Preconditions.UID]++
	refusal := c.refuse[eviction.Name]
	c.mu.Unlock()
	switch {
	case refusal != nil:
		return true, nil, refusal
	case pod.UID != *eviction.DeleteOptions.Preconditions.UID:
		return true, nil, apierrors.NewConflict(corev1.Resource("pods"), pod.Name, nil)
	}
	grace := int64(30)
	if eviction.DeleteOptions.GracePeriodSeconds != nil {
		grace = *eviction.DeleteOptions.GracePeriodSeconds
	}
	c.changePod(pod.Name, func(pod *corev1.Pod) {
		pod.DeletionTimestamp = ptrTo(metav1.NewTime(time.Now().Add(time.Duration(grace) * time.Second)))
		pod.DeletionGracePeriodSeconds = &grace
	})
	return true, nil, nil
}

func (c *cluster) pod(namespace, name string) (*corev1.Pod, error) {
	object, err := c.kube.Tracker().Get(corev1.SchemeGroupVersion.WithResource("pods"), namespace, name)
	if err != nil {
		return nil, err
	}
	return object.(*corev1.Pod), nil
}

// react makes the fake clientset behave as the cluster's type comment says.
func (c *cluster) react(fake *clienttesting.Fake, tracker clienttesting.ObjectTracker) {
	fake.PrependReactor("update", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object := action.(clienttesting.UpdateAction).GetObject()
		name := object.(metav1.Object).GetName()
		current, err := tracker.Get(action.GetResource(), action.GetNamespace(), name)
		if err != nil {
			return true, nil, err
		}
		if sent := object.(metav1.Object).GetResourceVersion(); sent != "" && sent != current.(metav1.Object).GetResourceVersion() {
			return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), name, nil)
		}
		return c.store(tracker, action, c.merge(current, object.DeepCopyObject(), action.GetSubresource()))
	})
	fake.PrependReactor("delete", "nodemaintenances", func(action clienttesting.Action) (bool, runtime.Object, error) {
		sent := action.(clienttesting.DeleteActionImpl)
		current, err := tracker.Get(action.GetResource(), "", sent.Name)
		if err != nil {
			return true, nil, err
		}
		hold := current.(*v1beta1.NodeMaintenance).DeepCopy()
		if p := sent.DeleteOptions.Preconditions; p == nil || *p.UID != hold.UID || *p.ResourceVersion != hold.ResourceVersion {
			return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), sent.Name, nil)
		}
		hold.DeletionTimestamp = ptrTo(metav1.Now())
		return c.store(tracker, action, hold)
	})
	fake.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		current, err := tracker.Get(action.GetResource(), "", action.(clienttesting.PatchAction).GetName())
		if err != nil {
			return true, nil, err
		}
		patched, err := patchedNode(current.(*corev1.Node), action.(clienttesting.PatchAction))
		if err != nil {
			return true, nil, err
		}
		return c.store(tracker, action, patched)
	})
	fake.PrependReactor("list", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		handled, list, err := clienttesting.ObjectReaction(tracker)(action)
		if err != nil || !handled {
			return handled, list, err
		}
		return true, filtered(list, action.(clienttesting.ListAction).GetListRestrictions().Fields), nil
	})
	fake.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := tracker.Watch(action.GetResource(), action.GetNamespace())
		if err != nil {
			return true, nil, err
		}
		selector := action.(clienttesting.WatchAction).GetWatchRestrictions().Fields
		selected := watch.Filter(w, func(e watch.Event) (watch.Event, bool) { return e, selects(selector, e.Object) })
		return true, drainedWatch{selected}, nil
	})
}

// drainedWatch takes what is left when it is stopped: a filtered watch whose
// reader has gone would wait for ever to hand over its next event.
type drainedWatch struct{ watch.Interface }

func (w drainedWatch) Stop() {
	w.Interface.Stop()
	for range w.ResultChan() {
	}
}

func (c *cluster) merge(current, sent runtime.Object, subresource string) runtime.Object {
	now, isHold := current.(*v1beta1.NodeMaintenance)
	if !isHold {
		return sent
	}
	hold := sent.(*v1beta1.NodeMaintenance)
	if subresource != "status" {
		hold.Status = now.Status
		return hold
	}
	c.mu.Lock()
	c.statusWrites[hold.Name] = append(c.statusWrites[hold.Name], time.Now())
	c.mu.Unlock()
	next := now.DeepCopy()
	next.Status = hold.Status
	return next
}

func (c *cluster) store(tracker clienttesting.ObjectTracker, action clienttesting.Action, object runtime.Object) (bool, runtime.Object, error) {
	c.stamp(object)
	// Through JSON, as times lose what they have below a second.
	object = roundTrip(object)
	accessor := object.(metav1.Object)
	if accessor.GetDeletionTimestamp() != nil && len(accessor.GetFinalizers()) == 0 {
		return true, object, tracker.Delete(action.GetResource(), action.GetNamespace(), accessor.GetName())
	}
	return true, object.DeepCopyObject(), tracker.Update(action.GetResource(), object, action.GetNamespace())
}

func roundTrip(object runtime.Object) runtime.Object {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	fresh := object.DeepCopyObject()
	switch o := fresh.(type) {
	case *v1beta1.NodeMaintenance:
		*o = v1beta1.NodeMaintenance{}
	case *corev1.Node:
		*o = corev1.Node{}
	}
	if err := json.Unmarshal(data, fresh); err != nil {
		panic(err)
	}
	return fresh
}

func patchedNode(node *corev1.Node, action clienttesting.PatchAction) (*corev1.Node, error) {
	var patch map[string]any
	if err := json.Unmarshal(action.GetPatch(), &patch); err != nil {
		return nil, err
	}
	metadata, _ := patch["metadata"].(map[string]any)
	if version, named := metadata["resourceVersion"]; named && version != node.ResourceVersion {
		return nil, apierrors.NewConflict(corev1.Resource("nodes"), node.Name, nil)
	}
	if uid, named := metadata["uid"]; named && uid != string(node.UID) {
		return nil, apierrors.NewConflict(corev1.Resource("nodes"), node.Name, nil)
	}
	original, err := json.Marshal(node)
	if err != nil {
		return nil, err
	}
	var patched []byte
	if action.GetPatchType() == types.StrategicMergePatchType {
		patched, err = strategicpatch.StrategicMergePatch(original, action.GetPatch(), corev1.Node{})
	} else {
		var document map[string]any
		if err := json.Unmarshal(original, &document); err != nil {
			return nil, err
		}
		patched, err = json.Marshal(mergePatch(document, patch))
	}
	if err != nil {
		return nil, err
	}
	var result corev1.Node
	return &result, json.Unmarshal(patched, &result)
}

// mergePatch is RFC 7386.
func mergePatch(document, patch map[string]any) map[string]any {
	if document == nil {
		document = map[string]any{}
	}
	for key, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(document, key)
		case isObject:
			existing, _ := document[key].(map[string]any)
			document[key] = mergePatch(existing, inner)
		default:
			document[key] = value
		}
	}
	return document
}

func selects(selector fields.Selector, object runtime.Object) bool {
	switch o := object.(type) {
	case *corev1.Pod:
		return selector.Matches(fields.Set{"spec.nodeName": o.Spec.NodeName})
	case *v1beta1.NodeMaintenance:
		return selector.Matches(fields.Set{v1beta1.FieldNodeName: o.Spec.NodeName})
	default:
		return true
	}
}

func filtered(list runtime.Object, selector fields.Selector) runtime.Object {
	items, err := meta.ExtractList(list)
	if err != nil {
		return list
	}
	var kept []runtime.Object
	for _, item := range items {
		if selects(selector, item) {
			kept = append(kept, item)
		}
	}
	if err := meta.SetList(list, kept); err != nil {
		panic(err)
	}
	return list
}
