// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

// Limit is how much users may store of one resource. What is stored stays valid if a limit becomes lower.
type Limit struct {
	// Kinds is what the objects are called in a refusal, such as MaintenancePolicies.
	Kinds string
	// Objects is how many there may be.
	Objects int
	// ObjectBytes is how large one may be, as it is stored. Zero: there is no limit but the library's.
	ObjectBytes int
	// Bytes is how large all of them may be together. Zero: there is no limit.
	Bytes int
	// Author returns who wrote an object last; nil: nobody knows. Optional. With it, a user who shares the room may have half
	// of Objects, and of Bytes.
	Author func(obj runtime.Object) *v1beta1.Author
	// Counts says whether a stored object counts. Optional: all do.
	Counts func(obj runtime.Object) bool
	// Beside is a further check of a new object, against the others that count. Its error is returned as the reason of a
	// refusal. Optional.
	Beside func(obj runtime.Object, others []runtime.Object) error
	// Advice says what to do if there are too many.
	Advice string
}

// limited is one write of an object that has a limit. From its last check on, others wait until end. Writes by several
// replicas at the same moment may still exceed the limit, by one for each replica.
type limited struct {
	of   *REST
	held bool
}

// create adds the check to those of a new object. The store may ask it again if it could not store the object at first.
func (l *limited) create(validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		object, err := meta.Accessor(obj)
		if err != nil {
			return err
		}
		if err := l.of.checkSpace(object.GetName()); err != nil {
			return err
		}
		return l.check(ctx, obj, nil)
	}
}

// update adds the check to those of a changed object.
func (l *limited) update(validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, obj, old runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj, old); err != nil {
				return err
			}
		}
		return l.check(ctx, obj, old)
	}
}

func (l *limited) end() {
	if l.held {
		l.of.writing.Unlock()
		l.held = false
	}
}

// check refuses a new object, or one that has become larger, if it is too large, or there are too many. Old is nil for a
// new one.
func (l *limited) check(ctx context.Context, obj, old runtime.Object) error {
	limit := l.of.limit
	if limit == nil || caller.IsServer(ctx) {
		return nil
	}
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	size, grown, err := l.of.grown(obj, old)
	if err != nil || grown <= 0 {
		return err
	}
	refuse := func(reason error) error {
		return apierrors.NewForbidden(l.of.DefaultQualifiedResource, object.GetName(), reason)
	}
	if limit.ObjectBytes > 0 && size > limit.ObjectBytes {
		return refuse(fmt.Errorf("it has %s with its metadata, and may have %s: make it smaller",
			humanize.IBytes(uint64(size)), humanize.IBytes(uint64(limit.ObjectBytes))))
	}
	if old != nil && limit.Bytes == 0 {
		return nil
	}
	if !l.held {
		l.of.writing.Lock()
		l.held = true
	}
	others, err := l.of.others(ctx, object.GetName())
	if err != nil {
		return err
	}
	sizes, err := l.of.sizes(others)
	if err != nil {
		return err
	}
	if err := l.of.admit(size, obj, old, others, sizes); err != nil {
		return refuse(err)
	}
	if err := l.of.admitShare(ctx, size, obj, old, others, sizes); err != nil {
		return refuse(err)
	}
	return nil
}

// grown returns how large an object is, and by how much it is larger than before. A limit without bytes has all new
// objects admitted, whatever their size.
func (r *REST) grown(obj, old runtime.Object) (size, by int, err error) {
	if old != nil && r.limit.ObjectBytes == 0 && r.limit.Bytes == 0 {
		return 0, 0, nil
	}
	if size, err = r.size(obj); err != nil || old == nil {
		return size, size, err
	}
	before, err := r.size(old)
	return size, size - before, err
}

func (r *REST) size(obj runtime.Object) (int, error) {
	encoded, err := runtime.Encode(r.Storage.Codec, obj)
	return len(encoded), err // the store would refuse it with the same words
}

// sizes are how large the objects are; zeros if the limit has no bytes.
func (r *REST) sizes(objects []runtime.Object) ([]int, error) {
	sizes := make([]int, len(objects))
	if r.limit.Bytes == 0 {
		return sizes, nil
	}
	for i, obj := range objects {
		size, err := r.size(obj)
		if err != nil {
			return nil, err
		}
		sizes[i] = size
	}
	return sizes, nil
}

// others are all stored objects that count but the one of that name.
func (r *REST) others(ctx context.Context, name string) (others []runtime.Object, err error) {
	list, err := r.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not count the %s: %w", r.limit.Kinds, err)
	}
	err = meta.EachListItem(list, func(stored runtime.Object) error {
		object, err := meta.Accessor(stored)
		if err == nil && object.GetName() != name && (r.limit.Counts == nil || r.limit.Counts(stored)) {
			others = append(others, stored)
		}
		return err
	})
	return others, err
}

// admit says why an object cannot be beside the others; nil: it can.
func (r *REST) admit(size int, obj, old runtime.Object, others []runtime.Object, sizes []int) error {
	limit := r.limit
	if old == nil && len(others) >= limit.Objects {
		return fmt.Errorf("there are %d %s, and there may be %d: %s", len(others), limit.Kinds, limit.Objects, limit.Advice)
	}
	if old == nil && limit.Beside != nil {
		if err := limit.Beside(obj, others); err != nil {
			return err
		}
	}
	if limit.Bytes == 0 {
		return nil
	}
	stored := 0
	for _, bytes := range sizes {
		stored += bytes
	}
	if stored+size > limit.Bytes {
		return fmt.Errorf("it has %s, and with the %s of other %s that is more than the %s that the memory limit of this server has room for: %s",
			humanize.IBytes(uint64(size)), humanize.IBytes(uint64(stored)), limit.Kinds, humanize.IBytes(uint64(limit.Bytes)), limit.Advice)
	}
	return nil
}

// admitShare says why the author of an object would have too much of the room; nil: they would not.
func (r *REST) admitShare(ctx context.Context, size int, obj, old runtime.Object, others []runtime.Object, sizes []int) error {
	limit := r.limit
	if r.sharesRoom == nil || limit.Author == nil || limit.Author(obj) == nil {
		return nil
	}
	author := limit.Author(obj).Username
	own, stored := 0, 0
	for i, other := range others {
		if by := limit.Author(other); by != nil && by.Username == author {
			own++
			stored += sizes[i]
		}
	}
	const rule = "half of what there is room for, so that others have some, too: %s, or ask an admin, who may create MaintenancePolicies, to write it"
	var refusal error
	if share := Half(limit.Objects); old == nil && own >= share {
		refusal = fmt.Errorf("user %q has written %d %s, and may have %d, "+rule, author, own, limit.Kinds, share, limit.Advice)
	} else if share := Half(limit.Bytes); limit.Bytes > 0 && stored+size > share {
		refusal = fmt.Errorf("it has %s, and user %q has written %s of other %s, and may have %s, "+rule, humanize.IBytes(uint64(size)), author,
			humanize.IBytes(uint64(stored)), limit.Kinds, humanize.IBytes(uint64(share)), limit.Advice)
	}
	if refusal == nil || !r.sharesRoom(ctx) {
		return nil
	}
	return refusal
}

// Half is how much of some room a user may have who shares it.
func Half(room int) int { return (room + 1) / 2 }
