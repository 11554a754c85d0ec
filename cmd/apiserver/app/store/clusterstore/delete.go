// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// Delete implements storage.Interface.
func (s *Store) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, suggested runtime.Object, opts storage.DeleteOptions,
) error {
	at, err := s.find(key, false)
	if err != nil {
		return err
	}
	w := writer{Store: s, at: at, like: out}
	w.unreadable = opts.ExpectTransformOrDecodeError &&
		utilfeature.DefaultFeatureGate.Enabled(features.AllowUnsafeMalformedObjectDeletion)
	now, err := w.start(ctx, suggested)
	if err != nil {
		return err
	}
	for {
		again, err := w.delete(ctx, now, preconditions, validate, out)
		if !again {
			return err
		}
		before := now
		if now, err = w.retry(ctx, before, err); err != nil {
			return err
		}
	}
}

// delete tries once. It says whether to try again with what is stored then, and returns why, if that is an error.
func (w writer) delete(ctx context.Context, now current, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, out runtime.Object,
) (again bool, err error) {
	if preconditions != nil {
		err = preconditions.Check(w.at.key, now.object)
	}
	if err == nil {
		err = validate(ctx, now.object)
	}
	if err != nil {
		return !now.live, err
	}
	err = w.in(w.at.namespace).Delete(ctx, w.at.name, metav1.DeleteOptions{Preconditions: now.preconditions()})
	if err = w.interpret(err, w.at.key); err != nil {
		return isOvertaken(err), err
	}
	w.Sizes.set(w.Kind, w.at.namespace, w.at.name, 0)
	if now.object == nil {
		return false, nil
	}
	return false, w.decode(w.at.key, now.data, w.deletedVersion(ctx, now), out)
}

func (c current) preconditions() *metav1.Preconditions {
	p := &metav1.Preconditions{ResourceVersion: &c.resourceVersion}
	if c.uid != "" {
		p.UID = &c.uid
	}
	return p
}

// deletionTimeout bounds how long a deletion may take after the cluster has accepted it. It takes longer only where
// somebody else has given the envelope a finalizer.
const deletionTimeout = 3 * time.Second

// deletedVersion returns the resourceVersion of the deletion, which the answer to a delete does not have: the watch
// has it. Where the watch fails, it is that of the deleted object, since the deletion itself is done.
func (w writer) deletedVersion(ctx context.Context, deleted current) string {
	ctx, cancel := context.WithTimeout(ctx, deletionTimeout)
	defer cancel()
	events, err := w.in(w.at.namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, w.at.name).String(),
		ResourceVersion: deleted.resourceVersion,
	})
	if err != nil {
		return deleted.resourceVersion
	}
	defer events.Stop()
	if version, ok := awaitDeletion(ctx, events); ok {
		return version
	}
	return deleted.resourceVersion
}

// awaitDeletion returns the resourceVersion of the first deletion that is told.
func awaitDeletion(ctx context.Context, events watch.Interface) (version string, ok bool) {
	for {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				return "", false
			}
			object, isObject := event.Object.(metav1.Object)
			if isObject && event.Type == watch.Deleted {
				return object.GetResourceVersion(), true
			}
		case <-ctx.Done():
			return "", false
		}
	}
}
