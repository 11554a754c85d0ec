// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"
	"io"

	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
)

// Migrate copies one store into another one, and writes to out what it does. It writes nothing if a server runs, or if
// the target is in use. The options must be valid. After an error, or after a crash, it may be called again.
func Migrate(ctx context.Context, config *rest.Config, o Options, out io.Writer) error {
	server, err := newRunning(config, o.lease())
	if err != nil {
		return err
	}
	if err := server.check(ctx); err != nil {
		return err
	}
	store.QuietGRPC()
	from, err := o.From.openExisting(ctx, config)
	if err != nil {
		return err
	}
	defer from.close()
	if o.DryRun {
		return try(ctx, config, o, from, out)
	}
	return whileNobodyLeads(ctx, config, o.lease(), func(ctx context.Context) error {
		return moveInto(ctx, config, o, from, out)
	})
}

// try says what would be done.
func try(ctx context.Context, config *rest.Config, o Options, from source, out io.Writer) error {
	to, err := o.To.openExisting(ctx, config)
	if err != nil {
		return err
	}
	defer to.close()
	_, p, err := prepare(ctx, from, to)
	if err != nil {
		return err
	}
	show(out, from, to, p)
	_, err = fmt.Fprintln(out, "Nothing was written. To do this, run the command again without --dry-run.")
	return err
}

func moveInto(ctx context.Context, config *rest.Config, o Options, from source, out io.Writer) error {
	to, err := o.To.open(ctx, config)
	if err != nil {
		return err
	}
	defer to.close()
	if err := move(ctx, from, to, out); err != nil {
		return err
	}
	showNext(out, from, o.To.serverFlags())
	return nil
}
