// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterwatch

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	"k8s.io/kubectl/pkg/drain"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// PodSelector picks the pods that `kubectl drain --force --ignore-daemonsets
// --delete-emptydir-data` would evict, by running kubectl's own filters.
type PodSelector struct {
	client     kubernetes.Interface
	DaemonSets appsv1listers.DaemonSetLister
}

// Judged says for each pod that was checked whether a drain evicts it. It has no pods of DaemonSets:
// whether a drain evicts those depends on whether the DaemonSet exists. Everything else that kubectl
// asks of a pod, with our choice of its flags, never changes.
type Judged map[types.UID]bool

// DrainableKnowing is drainable for a caller that asks repeatedly. It checks only the pods that known
// does not have, and returns the value of known for the next call.
func (s PodSelector) DrainableKnowing(ctx context.Context, node string, pods []*corev1.Pod, known Judged) (sets.Set[types.UID], Judged, error) {
	uids, next := sets.New[types.UID](), make(Judged, len(pods))
	var unknown []*corev1.Pod
	for _, pod := range pods {
		drainable, isKnown := known[pod.UID]
		if !isKnown {
			unknown = append(unknown, pod)
			continue
		}
		next[pod.UID] = drainable
		if drainable {
			uids.Insert(pod.UID)
		}
	}
	found, err := s.Drainable(ctx, node, unknown)
	for _, pod := range unknown {
		if !plan.OfDaemonSet(pod) {
			next[pod.UID] = found.Has(pod.UID)
		}
	}
	return uids.Union(found), next, err
}

// Drainable returns the UIDs of the pods that a drain of their node evicts. With an error, the pods
// that could not be checked are left out.
func (s PodSelector) Drainable(ctx context.Context, node string, pods []*corev1.Pod) (sets.Set[types.UID], error) {
	helper := &drain.Helper{
		Ctx:                 ctx,
		Client:              readOnlyClient{selector: s, pods: pods},
		Force:               true,
		GracePeriodSeconds:  -1,
		IgnoreAllDaemonSets: true,
		DeleteEmptyDirData:  true,
	}
	uids := sets.New[types.UID]()
	list, errs := helper.GetPodsForDeletion(node)
	if list != nil {
		for _, pod := range list.Pods() {
			uids.Insert(pod.UID)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return uids, fmt.Errorf("could not tell which pods of node %s to evict: %w", node, err)
	}
	return uids, nil
}

// readOnlyClient answers the two requests of kubectl's filters: the pods of the node, from those that
// it was given, and a pod's DaemonSet, from the cache. Any other request panics on the nil interfaces,
// and so shows in the tests.
type readOnlyClient struct {
	kubernetes.Interface
	selector PodSelector
	pods     []*corev1.Pod
}

func (c readOnlyClient) CoreV1() corev1client.CoreV1Interface { return podsOnly{pods: c.pods} }

func (c readOnlyClient) AppsV1() appsv1client.AppsV1Interface {
	return daemonSetsOnly{selector: c.selector}
}

type podsOnly struct {
	corev1client.CoreV1Interface
	pods []*corev1.Pod
}

func (c podsOnly) Pods(string) corev1client.PodInterface { return podList{pods: c.pods} }

type podList struct {
	corev1client.PodInterface
	pods []*corev1.Pod
}

func (l podList) List(context.Context, metav1.ListOptions) (*corev1.PodList, error) {
	list := &corev1.PodList{Items: make([]corev1.Pod, 0, len(l.pods))}
	for _, pod := range l.pods {
		list.Items = append(list.Items, *pod)
	}
	return list, nil
}

type daemonSetsOnly struct {
	appsv1client.AppsV1Interface
	selector PodSelector
}

func (c daemonSetsOnly) DaemonSets(namespace string) appsv1client.DaemonSetInterface {
	return daemonSetGetter{selector: c.selector, namespace: namespace}
}

type daemonSetGetter struct {
	appsv1client.DaemonSetInterface
	selector  PodSelector
	namespace string
}

// Get asks the API server when the cache knows no such DaemonSet: a pod whose DaemonSet is gone
// is evicted, so a cache that lags behind a new one must not decide that.
func (g daemonSetGetter) Get(ctx context.Context, name string, options metav1.GetOptions) (*appsv1.DaemonSet, error) {
	if daemonSet, err := g.selector.DaemonSets.DaemonSets(g.namespace).Get(name); err == nil {
		return daemonSet, nil
	}
	return g.selector.client.AppsV1().DaemonSets(g.namespace).Get(ctx, name, options)
}
