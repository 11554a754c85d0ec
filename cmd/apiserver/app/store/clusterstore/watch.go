// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/utils/ptr"
)

// buffered is how many events of a watch wait for a slow client, before the cluster's API server has to keep them.
const buffered = 100

// Watch implements storage.Interface.
func (s *Store) Watch(ctx context.Context, key string, opts storage.ListOptions) (watch.Interface, error) {
	at, err := s.find(key, opts.Recursive)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &watching{
		store: s, ctx: ctx, cancel: cancel, predicate: opts.Predicate, bookmarks: opts.Predicate.AllowWatchBookmarks || opts.ProgressNotify,
		results: make(chan watch.Event, buffered),
	}
	events, err := w.start(at, opts)
	if ctx.Err() != nil { // the client has gone, which is no error
		if err == nil {
			events.Stop()
		}
		events, err = watch.NewEmptyWatch(), nil
	}
	if err != nil {
		cancel()
		return nil, s.interpret(err, at.key)
	}
	w.detach = context.AfterFunc(s.live, cancel)
	s.watching.Go(func() { w.run(events) })
	utilflowcontrol.WatchInitialized(ctx)
	return w, nil
}

// start starts the watch in the cluster.
func (w *watching) start(at place, opts storage.ListOptions) (watch.Interface, error) {
	options := metav1.ListOptions{
		ResourceVersion:     opts.ResourceVersion,
		SendInitialEvents:   opts.SendInitialEvents,
		AllowWatchBookmarks: w.bookmarks,
	}
	if opts.SendInitialEvents != nil {
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	if deadline, ok := w.ctx.Deadline(); ok { // the cluster sends a bookmark before it
		options.TimeoutSeconds = ptr.To(int64(math.Ceil(time.Until(deadline).Seconds())))
	}
	w.store.selectAt(at, opts.Predicate, &options)
	if w.store.leavesOut(opts.Predicate) {
		if err := w.rememberSelected(at, &options); err != nil {
			return nil, err
		}
	}
	return w.store.in(at.namespace).Watch(w.ctx, options)
}

// rememberSelected lists what is selected when the watch begins, unless its first events tell.
func (w *watching) rememberSelected(at place, options *metav1.ListOptions) error {
	w.known = map[string]*unstructured.Unstructured{}
	unset := options.ResourceVersion == "" || options.ResourceVersion == "0"
	if initial := options.SendInitialEvents; initial != nil && *initial || initial == nil && unset {
		return nil
	}
	exact := metav1.ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector}
	if !unset {
		exact.ResourceVersion, exact.ResourceVersionMatch = options.ResourceVersion, metav1.ResourceVersionMatchExact
	}
	list, err := w.store.in(at.namespace).List(w.ctx, exact)
	if err != nil {
		return err
	}
	for i := range list.Items {
		if object, err := w.read(&list.Items[i]); err == nil && w.matches(object) {
			w.known[nameOf(&list.Items[i])] = &list.Items[i]
		}
	}
	options.ResourceVersion, options.ResourceVersionMatch, options.SendInitialEvents = list.GetResourceVersion(), "", nil
	return nil
}
