// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"bytes"
	"context"
	"errors"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// GuaranteedUpdate implements storage.Interface. Whatever fails with what was suggested, or because another write came
// between, is tried again with what is stored now.
func (s *Store) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, suggested runtime.Object,
) error {
	at, err := s.find(key, false)
	if err != nil {
		return err
	}
	w := writer{Store: s, at: at, like: destination, ignoreNotFound: ignoreNotFound}
	now, err := w.start(ctx, suggested)
	if err != nil {
		return err
	}
	for {
		again, err := w.update(ctx, now, preconditions, tryUpdate, destination)
		if !again {
			return err
		}
		before := now
		if now, err = w.retry(ctx, before, err); err != nil {
			return err
		}
	}
}

// retry reads what is stored now. It returns the error of the last try where that is nothing else than before: then
// another try would fail in the same way.
func (w writer) retry(ctx context.Context, before current, last error) (current, error) {
	now, err := w.get(ctx)
	if err == nil && last != nil && now.exists() && now.resourceVersion == before.resourceVersion {
		err = last
	}
	return now, err
}

// update tries once. It says whether to try again with what is stored then, and returns why, if that is an error.
func (w writer) update(ctx context.Context, now current, preconditions *storage.Preconditions,
	tryUpdate storage.UpdateFunc, destination runtime.Object,
) (again bool, err error) {
	updated, data, err := w.change(now, preconditions, tryUpdate)
	if err != nil {
		return !now.live, err
	}
	if !now.outdated && bytes.Equal(data, now.data) {
		if !now.live {
			return true, nil
		}
		if repeated, err := w.repeated(now, updated); repeated || err != nil {
			return false, errors.Join(err, w.decode(w.at.key, data, now.resourceVersion, destination))
		}
	}
	if !now.exists() {
		err = w.create(ctx, w.at, updated, data, destination)
		return storage.IsExist(err), err
	}
	err = w.put(ctx, now, updated, data, destination)
	return isOvertaken(err), err
}

// change returns the changed object, and how it is stored.
func (w writer) change(now current, preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc) (runtime.Object, []byte, error) {
	if err := preconditions.Check(w.at.key, now.object); err != nil {
		return nil, nil, err
	}
	version := uint64(0)
	if now.exists() {
		var err error
		if version, err = w.versioner.ParseResourceVersion(now.resourceVersion); err != nil {
			return nil, nil, err
		}
	}
	updated, ttl, err := tryUpdate(now.object, storage.ResponseMeta{ResourceVersion: version})
	if err == nil && ttl != nil && *ttl != 0 {
		err = errTTL
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := w.encode(updated)
	return updated, data, err
}

// repeated says whether the envelope repeats all of the object that this version repeats. One that an older version
// has written may repeat less, and one of a newer version more.
func (w writer) repeated(now current, object runtime.Object) (bool, error) {
	want, err := w.outside(w.at, object)
	if err != nil {
		return false, err
	}
	for name, value := range want.Fields {
		if found, ok := now.repeats.Fields[name]; !ok || found != value {
			return false, nil
		}
	}
	return maps.Equal(want.Labels, now.repeats.Labels), nil
}

// put writes the object in place of the one that is stored now.
func (w writer) put(ctx context.Context, now current, updated runtime.Object, data []byte, destination runtime.Object) error {
	envelope, err := w.envelop(ctx, w.at, updated, data)
	if err != nil {
		return err
	}
	envelope.SetUID(now.uid)
	envelope.SetResourceVersion(now.resourceVersion)
	written, err := w.in(w.at.namespace).Update(ctx, envelope, metav1.UpdateOptions{})
	if err != nil {
		return w.interpret(err, w.at.key)
	}
	return w.decode(w.at.key, data, written.GetResourceVersion(), destination)
}

// isOvertaken says whether another write of the stored object came between.
func isOvertaken(err error) bool { return storage.IsConflict(err) || storage.IsNotFound(err) }
