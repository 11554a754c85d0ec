// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// lingers is how long an informer goes on that nobody follows: each new one lists all objects.
const lingers = time.Minute

// watches are the informers that checks of the kind object need.
type watches struct {
	config Config
	// changed is called with those that a change concerns, without the lock.
	changed func([]*subscription)
	bell    workloop.Bell
	// queue has what may have changed, so that many changes at once are one look.
	queue workqueue.TypedDelayingInterface[change]

	mu    sync.Mutex
	known map[selection]*watched
	// refused are those who wait for room, with what they want.
	refused map[*subscription]selection
}

func newWatches(config Config, changed func([]*subscription)) *watches {
	return &watches{
		config: config, changed: changed, bell: workloop.NewBell(), known: map[selection]*watched{},
		refused: map[*subscription]selection{},
	}
}

func (w *watches) follow(s *subscription) {
	selected, err := selectionOf(s.check.Object)
	if err != nil {
		return // the answer says so
	}
	about := aboutOf(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.about = about
	w.admit(s, selected)
	w.bell.Ring()
}

// admit has the subscription follow an informer, or wait for room.
func (w *watches) admit(s *subscription, selected selection) {
	known := w.known[selected]
	if known == nil {
		if len(w.known) >= v1beta1.MaxWatchedResources && !w.makeRoom() {
			w.refused[s] = selected
			return
		}
		known = &watched{selection: selected, followers: map[string]sets.Set[*subscription]{}}
		w.known[selected] = known
	}
	known.follow(s)
}

// makeRoom ends an informer that nobody follows, and says whether there was one.
func (w *watches) makeRoom() bool {
	for _, known := range w.known {
		if len(known.followers) == 0 {
			w.end(known)
			return true
		}
	}
	return false
}

func (w *watches) end(known *watched) {
	delete(w.known, known.selection)
	if known.stop != nil {
		known.stop()
	}
}

func (w *watches) unfollow(s *subscription) {
	selected, err := selectionOf(s.check.Object)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.refused, s)
	known := w.known[selected]
	if known == nil {
		return
	}
	if known.unfollow(s); len(known.followers) == 0 {
		known.unwanted = w.config.Clock.Now()
		w.bell.Ring()
	}
}

// aboutOf is which object a subscription is about.
func aboutOf(s *subscription) string {
	check := s.check.Object
	if check.NameExpression == "" {
		return everyObject
	}
	if s.node == nil {
		return noObject
	}
	node, err := expression.NodeValue(s.node)
	if err != nil {
		return noObject
	}
	key, err := keyOf(context.Background(), check, node)
	if err != nil {
		return noObject
	}
	return key
}
