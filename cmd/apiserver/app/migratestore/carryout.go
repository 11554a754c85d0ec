// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
)

// move makes the target a copy of the source.
func move(ctx context.Context, from source, to target, out io.Writer) error {
	before, p, err := prepare(ctx, from, to)
	if err != nil {
		return err
	}
	show(out, from, to, p)
	if !p.done {
		if err := carryOut(ctx, to, before, p); err != nil {
			return err
		}
		if err := verify(ctx, from, to, before); err != nil {
			return err
		}
	}
	if !p.done || p.marked {
		if err := to.finish(ctx, p.id); err != nil {
			return err
		}
	}
	showEnd(out, p)
	return nil
}

// prepare reads both stores, and decides what is to be done.
func prepare(ctx context.Context, from, to source) (contents, plan, error) {
	before, err := from.read(ctx)
	if err != nil {
		return before, plan{}, err
	}
	there, err := to.read(ctx)
	if err != nil {
		return before, plan{}, err
	}
	p, err := makePlan(before, there)
	if err != nil {
		err = fmt.Errorf("could not copy %s into %s: %w", from, to, err)
	}
	return before, p, err
}

// carryOut writes the objects. After an error it may be called again, with a new plan.
func carryOut(ctx context.Context, to target, from contents, p plan) error {
	if !p.begun {
		if err := to.begin(ctx, p.id); err != nil {
			return err
		}
	}
	for i, s := range p.steps {
		if err := carryOutStep(ctx, to, from, s); err != nil {
			return fmt.Errorf("%w; %d of %s are done, so run this again when that is put right: no server starts on the "+
				"target before", err, i, english.Plural(len(p.steps), "object", ""))
		}
	}
	return nil
}

func carryOutStep(ctx context.Context, to target, from contents, s step) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	switch s.action {
	case toCopy, toReplace:
		return to.write(ctx, s.key, from.objects[s.key])
	case toRemove:
		return to.remove(ctx, s.key)
	}
	return nil
}

// verify reads both stores again: the source must be what was copied, and the target the same.
func verify(ctx context.Context, from, to source, copied contents) error {
	source, err := from.read(ctx)
	if err != nil {
		return err
	}
	if source.id != copied.id || !same(source, copied) {
		return errors.New("the source has changed meanwhile, so something uses it: stop that, and run this again")
	}
	target, err := to.read(ctx)
	if err != nil {
		return err
	}
	if !same(target, copied) {
		return errors.New("what was read back from the target differs from what was written, so something changes it, such as a " +
			"webhook: stop that, and run this again")
	}
	return nil
}
