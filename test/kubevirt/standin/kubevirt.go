// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// PerNode is how many migrations leave a node at a time; KubeVirt's default.
	PerNode = 2
	// PerCluster is how many migrations run at a time in all; KubeVirt's default.
	PerCluster = 5
	// DrainTaint is the key of the taint that has KubeVirt migrate the machines of a node.
	DrainTaint = "kubevirt.io/drain"
	// interval is how often everything is looked at.
	interval = 200 * time.Millisecond
)

// KubeVirt is the stand-in for the namespace and the nodes of one pool. Use Start.
type KubeVirt struct {
	pool *env.Pool
	kube kubernetes.Interface
	// kinds reads and writes KubeVirt's kinds.
	kinds dynamic.Interface
	// lenient says that the webhook lets further evictions of a machine pass that is to migrate, as older
	// releases do. Its budget refuses them then.
	lenient bool

	mu sync.Mutex
	// asked counts the evictions that the webhook was asked about, by pod.
	asked map[string]int
	// held says that migrations that run do not succeed, and that none begins again after a failure.
	held bool
	// failures counts the migrations that are still to fail.
	failures int
	// most is the highest number of migrations that left one node at a time.
	most int
	// moved are the machines that have migrated.
	moved sets.Set[string]
	// running is the pod that runs each machine.
	running map[string]types.UID
	errs    []error
}

// Option changes what the stand-in does.
type Option func(*KubeVirt)

// Lenient has the webhook let further evictions of a machine pass, as older releases of KubeVirt do.
func Lenient(k *KubeVirt) { k.lenient = true }

// Start runs the stand-in until the test's end. The test fails if somebody else ended the pod of a machine
// that has to migrate, or just does.
func Start(t *testing.T, pool *env.Pool, options ...Option) *KubeVirt {
	t.Helper()
	k := &KubeVirt{
		pool: pool, kube: pool.Kube, kinds: pool.Cluster.Dynamic(),
		asked: map[string]int{}, moved: sets.New[string](), running: map[string]types.UID{},
	}
	for _, option := range options {
		option(k)
	}
	if err := pool.Cluster.Workload(pool.Name).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.serveWebhook(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { k.loop(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		if err := errors.Join(k.errs...); err != nil {
			t.Errorf("KubeVirt's stand-in: %v", err)
		}
	})
	return k
}

// Asked is how many evictions of the pods of a machine the webhook was asked about.
func (k *KubeVirt) Asked(machine string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked[machine]
}

// Hold has running migrations go on until Release, unless they fail. After a failure the next one waits until then, too.
func (k *KubeVirt) Hold() { k.set(func() { k.held = true }) }

// Release lets migrations end again.
func (k *KubeVirt) Release() { k.set(func() { k.held = false }) }

// FailNext has the next migration fail.
func (k *KubeVirt) FailNext() { k.set(func() { k.failures++ }) }

// MostAtOnce is the highest number of migrations that left one node at a time.
func (k *KubeVirt) MostAtOnce() (most int) {
	k.set(func() { most = k.most })
	return most
}

// Moved says whether the machine has migrated.
func (k *KubeVirt) Moved(machine string) (moved bool) {
	k.set(func() { moved = k.moved.Has(machine) })
	return moved
}

func (k *KubeVirt) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
}

// note keeps an error that must not be. Objects that change or go meanwhile are looked at again.
func (k *KubeVirt) note(ctx context.Context, what string, err error) {
	if err == nil || ctx.Err() != nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return
	}
	k.set(func() { k.errs = append(k.errs, fmt.Errorf("%s: %w", what, err)) })
}
