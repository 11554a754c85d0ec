// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node/board"
)

// query has the options of a list or a watch.
type query struct {
	labels labels.Selector
	fields fields.Selector
	limit  int64
	// after is where the page before ended; nil on the first page.
	after *place
	// version is the resourceVersion that was asked for; 0 for any.
	version int64
	match   metav1.ResourceVersionMatch
	// initial says whether a watch is to begin with the present states; nil if the client leaves it open.
	initial   *bool
	bookmarks bool
}

func newQuery(options *metainternalversion.ListOptions) (query, error) {
	q := query{labels: labels.Everything(), fields: fields.Everything()}
	if options == nil {
		return q, nil
	}
	if options.LabelSelector != nil {
		q.labels = options.LabelSelector
	}
	if options.FieldSelector != nil {
		q.fields = options.FieldSelector
	}
	q.limit, q.match, q.initial, q.bookmarks = options.Limit, options.ResourceVersionMatch, options.SendInitialEvents, options.AllowWatchBookmarks
	var err error
	if q.after, err = parsePlace(options.Continue); err != nil {
		return q, err
	}
	if options.ResourceVersion != "" {
		if q.version, err = strconv.ParseInt(options.ResourceVersion, 10, 64); err != nil || q.version < 0 {
			return q, apierrors.NewBadRequest("resourceVersion is not valid: it must be what a list returned")
		}
	}
	return q, nil
}

// continues says whether a watch is to send only what changed since the version.
func (q query) continues() bool { return q.version > 0 && !q.asksForInitialEvents() }

// initialEvents says whether a watch begins with the present states. Without a version that is the
// default.
func (q query) initialEvents() bool { return q.initial == nil || *q.initial }

func (q query) asksForInitialEvents() bool { return q.initial != nil && *q.initial }

func (q query) matches(state *v1beta1.NodeState) bool {
	return q.labels.Matches(labels.Set(state.Labels)) && q.fields.Matches(fields.Set{
		"metadata.name": state.Name, v1beta1.FieldState: string(state.Status.State),
	})
}

// event is what the change is to somebody who sees only what the query matches; visible is false if it
// is nothing. A state that no longer matches is deleted, as it was before.
func (q query) event(change *board.Change) (event watch.Event, visible bool) {
	had := change.Before != nil && q.matches(change.Before)
	has := change.After != nil && q.matches(change.After)
	switch {
	case has && had:
		return watch.Event{Type: watch.Modified, Object: shallow(change.After)}, true
	case has:
		return watch.Event{Type: watch.Added, Object: shallow(change.After)}, true
	case had:
		gone := shallow(change.Before)
		gone.ResourceVersion = board.Format(change.Version)
		return watch.Event{Type: watch.Deleted, Object: gone}, true
	default:
		return watch.Event{}, false
	}
}

// shallow is a copy for an answer: the encoder writes the kind into the object while it is at work.
func shallow(state *v1beta1.NodeState) *v1beta1.NodeState {
	answer := *state
	return &answer
}

// check fails if a list cannot be of the version that was asked for. now is the board's.
func (q query) check(b *board.Board, now int64) error {
	switch {
	case q.after != nil:
		_, _, known := b.Since(q.after.version)
		return expiredUnless(known)
	case q.match == metav1.ResourceVersionMatchExact:
		return expiredUnless(q.version == now)
	default:
		return expiredUnless(q.version <= now)
	}
}

func expiredUnless(known bool) error {
	if known {
		return nil
	}
	return expired()
}

// expired is the answer to a client that has to list again.
func expired() *apierrors.StatusError {
	return apierrors.NewResourceExpired("resourceVersion is too old, or of another run of the server: list the nodes again")
}
