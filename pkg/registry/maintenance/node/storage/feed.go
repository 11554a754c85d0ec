// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node/board"
	holdstorage "github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
)

// feed tells a board of the nodes and of the holds. It begins with the first request, so that it costs
// nothing if nobody asks, and ends when it is closed.
type feed struct {
	nodes Nodes
	holds *holdstorage.REST
	board *board.Board

	mu      sync.Mutex
	started bool
	closed  bool
	// stops end what start began.
	stops   []func()
	running sync.WaitGroup

	// listing is held while all holds are listed because the board is behind. Who waited for it may find that
	// the board has caught up.
	listing sync.Mutex
}

func newFeed(nodes Nodes, holds *holdstorage.REST) *feed {
	return &feed{nodes: nodes, holds: holds, board: board.New(time.Now(), nodes.Node)}
}

// start fills the board and begins to keep it up to date, if that was not done before.
func (f *feed) start(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return unavailable(fmt.Errorf("the server is stopping"))
	case f.started:
		return nil
	}
	known, err := f.nodes.Nodes()
	if err != nil {
		return unavailable(err)
	}
	holds, revision, err := f.holds.ListAll(ctx)
	if err != nil {
		return err
	}
	stop, err := f.nodes.WatchNodes(f.board.NodeChanged)
	if err != nil {
		return unavailable(err)
	}
	f.board.Fill(namesOf(known), holds, revision)
	f.watchHolds(stop)
	f.started = true
	return nil
}

func namesOf(nodes []*corev1.Node) []string {
	names := make([]string, 0, len(nodes))
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	return names
}

// watchHolds tells the board of the holds until the feed is closed. Then it also calls stopNodes.
func (f *feed) watchHolds(stopNodes func()) {
	ctx, cancel := context.WithCancel(context.Background())
	f.stops = append(f.stops, cancel, stopNodes)
	reflector := cache.NewReflectorWithOptions(f.holds.ListerWatcher(), &v1beta1.NodeMaintenance{}, holdSink{f.board},
		cache.ReflectorOptions{Name: "states of nodes"})
	f.running.Go(func() { reflector.RunWithContext(ctx) })
}

// fresh has the board know every hold that is stored by now.
func (f *feed) fresh(ctx context.Context) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	current, err := f.holds.Revision(ctx)
	if err != nil {
		return err
	}
	if current <= f.board.Revision() {
		return nil
	}
	return f.catchUp(ctx, current)
}

// catchUp has the board know every change up to the revision. Requests that need it at the same time list
// the holds once.
func (f *feed) catchUp(ctx context.Context, current uint64) error {
	f.listing.Lock()
	defer f.listing.Unlock()
	if current <= f.board.Revision() {
		return nil
	}
	holds, revision, err := f.holds.ListAll(ctx)
	if err != nil {
		return err
	}
	f.board.Holds(holds, revision)
	return nil
}

// freshOn has the board know the node, and every hold on it that is stored by now. The watch of the nodes
// may not have told of the node yet.
func (f *feed) freshOn(ctx context.Context, node string) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	holds, err := f.holds.HoldsOn(ctx, node)
	if err != nil {
		return err
	}
	revision, err := holdstorage.RevisionOf(holds)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	f.board.HoldsOn(node, holds.Items, revision)
	f.board.NodeChanged(node)
	return nil
}

// close ends what start began, and waits for it.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, stop := range f.stops {
		stop()
	}
	f.stops = nil
	f.running.Wait()
}

// holdSink hands what a reflector learns of the holds to a board. It is a cache.ReflectorStore.
type holdSink struct{ board *board.Board }

// Add implements cache.ReflectorStore.
func (s holdSink) Add(obj any) error { return tell(obj, s.board.HoldStored) }

// Update implements cache.ReflectorStore.
func (s holdSink) Update(obj any) error { return tell(obj, s.board.HoldStored) }

// Delete implements cache.ReflectorStore.
func (s holdSink) Delete(obj any) error { return tell(obj, s.board.HoldDeleted) }

// Resync implements cache.ReflectorStore. There is nothing to do.
func (holdSink) Resync() error { return nil }

// Replace implements cache.ReflectorStore.
func (s holdSink) Replace(objects []any, resourceVersion string) error {
	revision, err := holdstorage.ParseRevision(resourceVersion)
	if err != nil {
		return err
	}
	holds := make([]v1beta1.NodeMaintenance, 0, len(objects))
	for _, obj := range objects {
		if err := tell(obj, func(hold *v1beta1.NodeMaintenance) { holds = append(holds, *hold) }); err != nil {
			return err
		}
	}
	s.board.Holds(holds, revision)
	return nil
}

func tell(obj any, what func(*v1beta1.NodeMaintenance)) error {
	hold, ok := obj.(*v1beta1.NodeMaintenance)
	if !ok {
		return fmt.Errorf("expected a NodeMaintenance, got %T", obj)
	}
	what(hold)
	return nil
}
