// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// Options say what to import.
type Options struct {
	// Groups are the API groups to import from. Default: all whose CRD is installed.
	Groups []string
	// Confirm imports. Without it, nothing is changed.
	Confirm bool
	// OperatorMayRun imports although an operator seems to run.
	OperatorMayRun bool
}

// importer reads and writes objects of the operators and of this server.
type importer struct {
	dynamic     dynamic.Interface
	kube        kubernetes.Interface
	maintenance versioned.Interface
	// patience is how long to wait for a CRD that is there and not served.
	patience wait.Backoff
}

func newImporter(config *rest.Config) (*importer, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	var errs [3]error
	i := &importer{patience: serving}
	i.dynamic, errs[0] = dynamic.NewForConfigAndClient(config, client)
	i.kube, errs[1] = kubernetes.NewForConfigAndClient(config, client)
	i.maintenance, errs[2] = versioned.NewForConfigAndClient(config, client)
	return i, errors.Join(errs[:]...)
}

// Import imports the NodeMaintenances of the operators in the cluster, and writes to out what it does. It
// fails before the first change if something is in the way, and at the end if an object could not be
// imported. Then, or after a crash, it may be called again.
func Import(ctx context.Context, config *rest.Config, o Options, out io.Writer) error {
	from, err := chosen(o.Groups)
	if err != nil {
		return err
	}
	i, err := newImporter(config)
	if err != nil {
		return err
	}
	served, err := i.installed(ctx)
	if err != nil {
		return err
	}
	if len(o.Groups) > 0 {
		if err := allInstalled(from, served); err != nil {
			return err
		}
	}
	from = slices.DeleteFunc(slices.Clone(from), func(s source) bool { return served[s].version == "" })
	if len(from) == 0 {
		_, err := fmt.Fprintln(out, "No CRD of a node-maintenance operator is installed: there is nothing to import.")
		return err
	}
	return i.run(ctx, from, served, o, out)
}

func (i *importer) run(ctx context.Context, from []source, served map[source]installedCRD, o Options, out io.Writer) error {
	operators, err := i.operators(ctx, from)
	if err != nil {
		return err
	}
	if running := operators.running(); running != nil && o.Confirm && !o.OperatorMayRun {
		return running
	}
	w, err := i.world(ctx, served)
	if err != nil {
		return err
	}
	steps := w.plan(from)
	show(out, steps, operators.warnings())
	if !o.Confirm {
		_, err := fmt.Fprintln(out, "\nNothing was changed. To do this, run the command again with --confirm.")
		return err
	}
	return i.carryOutAll(ctx, steps, out)
}

// now is the time of the import, in the precision of the API.
func now() time.Time { return time.Now().Truncate(time.Second) }
