// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// key names an object.
type key struct {
	resource schema.GroupResource
	name     string
}

func (k key) String() string { return fmt.Sprintf("%s/%s", k.resource, k.name) }

// contents is everything that a store has.
type contents struct {
	// id is the store's ID. It is empty where no server has used the store.
	id string
	// copyOf is the ID of the store of which a copy into this one has begun and not ended.
	copyOf  string
	objects map[key][]byte
}

// source is a store that is read.
type source interface {
	// String names the store, in a sentence.
	fmt.Stringer
	read(ctx context.Context) (contents, error)
	// cleanup says how to remove all that the store has.
	cleanup() string
	// close ends what was opened, and waits until that is done.
	close()
}

// target is a store into which another one is copied.
type target interface {
	source
	// begin marks the store as one that a copy of the store with that ID has begun into.
	begin(ctx context.Context, id string) error
	// write writes an object, in place of one that is there.
	write(ctx context.Context, k key, data []byte) error
	// remove removes an object.
	remove(ctx context.Context, k key) error
	// finish writes the ID, and removes the mark.
	finish(ctx context.Context, id string) error
}

// absent is an embedded store that does not exist yet.
type absent string

func (a absent) String() string { return string(a) }

func (absent) read(context.Context) (contents, error) { return contents{}, nil }

func (absent) cleanup() string { return "" }

func (absent) close() {}
