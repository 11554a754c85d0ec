// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package virtualmachine

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// nodeLabel of a VirtualMachineInstance names the node that runs it.
	nodeLabel = "kubevirt.io/nodeName"
	// readTimeout bounds one read. The plan is shown without the machines if it takes longer.
	readTimeout = 5 * time.Second
)

// Reader reads the machines of a node once, for a plan that is only shown. Use NewReader.
type Reader struct {
	client dynamic.Interface
	clock  clock.PassiveClock

	mu sync.Mutex
	// notBefore is the time when to ask again after the API server refused.
	notBefore time.Time
}

// NewReader returns a Reader. Without a client it knows nothing.
func NewReader(client dynamic.Interface, clock clock.PassiveClock) *Reader {
	return &Reader{client: client, clock: clock}
}

// States says what an eviction does to the machines of the pods on the node. Migrations that failed before
// since do not count. It makes no request if there is no virtual machine among the pods. Nothing is known
// after an error.
func (r *Reader) States(ctx context.Context, node string, pods []*corev1.Pod, since time.Time) States {
	if r.client == nil || !anyLauncher(pods) || !r.mayAsk() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	known, err := r.read(ctx, node)
	if err != nil {
		r.note(ctx, err)
		return nil
	}
	return known.states(node, pods, since)
}

// read reads the machines of the node, and all migrations: they have no label that names the node.
func (r *Reader) read(ctx context.Context, node string) (facts, error) {
	onNode, err := r.client.Resource(machines).List(ctx, metav1.ListOptions{LabelSelector: nodeLabel + "=" + node, ResourceVersion: "0"})
	if err != nil {
		return facts{}, err
	}
	moving, err := r.client.Resource(migrations).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return facts{}, err
	}
	return newFacts(each(onNode, newMachine), each(moving, newMigration)), nil
}

func each[T any](list *unstructured.UnstructuredList, read func(*unstructured.Unstructured) T) []T {
	found := make([]T, 0, len(list.Items))
	for i := range list.Items {
		found = append(found, read(&list.Items[i]))
	}
	return found
}

func anyLauncher(pods []*corev1.Pod) bool {
	for _, pod := range pods {
		if IsLauncher(pod) {
			return true
		}
	}
	return false
}

func (r *Reader) mayAsk() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.clock.Now().Before(r.notBefore)
}

func (r *Reader) note(ctx context.Context, err error) {
	klog.FromContext(ctx).V(2).Info("Could not read virtual machines", "err", err)
	if refused(err) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notBefore = r.clock.Now().Add(askAgain)
	}
}
