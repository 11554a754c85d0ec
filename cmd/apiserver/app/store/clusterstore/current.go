// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage"
)

// errTTL refuses to store something for a limited time, which custom resources cannot be.
var errTTL = errors.New("the cluster stores nothing for a limited time")

// current is the object that a write begins with.
type current struct {
	// object is nil where it cannot be read.
	object runtime.Object
	content
	// uid and resourceVersion are the envelope's. They are empty where nothing is stored, and uid where the object
	// was suggested.
	uid             types.UID
	resourceVersion string
	// live says that the object was read now. What was suggested may be older.
	live bool
}

func (c current) exists() bool { return c.resourceVersion != "" }

// writer is one write: the place, and what to do where nothing is there.
type writer struct {
	*Store
	at place
	// like is an object of the type that is stored.
	like           runtime.Object
	ignoreNotFound bool
	// unreadable says that the object must be one that cannot be read.
	unreadable bool
}

// start returns what a write begins with: the suggested object, or the live one.
func (w writer) start(ctx context.Context, suggested runtime.Object) (current, error) {
	if suggested == nil || w.unreadable {
		return w.get(ctx)
	}
	version, err := w.versioner.ObjectResourceVersion(suggested)
	if err != nil {
		return current{}, fmt.Errorf("could not read the resourceVersion of the suggested object: %w", err)
	}
	data, err := w.encode(suggested.DeepCopyObject())
	return current{object: suggested, content: content{data: data}, resourceVersion: fmt.Sprint(version)}, err
}

// get reads the object live.
func (w writer) get(ctx context.Context) (current, error) {
	object, err := newLike(w.like)
	if err != nil {
		return current{}, err
	}
	u, err := w.in(w.at.namespace).Get(ctx, w.at.name, metav1.GetOptions{})
	if err := w.interpret(err, w.at.key); err != nil {
		if w.ignoreNotFound && storage.IsNotFound(err) {
			return current{object: object, live: true}, nil
		}
		return current{}, err
	}
	c := current{object: object, uid: u.GetUID(), resourceVersion: u.GetResourceVersion(), live: true}
	c.content, err = w.read(ctx, u, object)
	switch {
	case w.unreadable && err == nil:
		return c, storage.NewInvalidObjError(w.at.key, "it can be read, so it must not be deleted as one that cannot")
	case w.unreadable:
		c.object = nil
		return c, nil
	}
	return c, err
}

func newLike(object runtime.Object) (runtime.Object, error) {
	pointed, err := conversion.EnforcePtr(object)
	if err != nil {
		return nil, fmt.Errorf("could not write into a %T: %w", object, err)
	}
	return reflect.New(pointed.Type()).Interface().(runtime.Object), nil
}
