// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather/story"
)

// errOutOfTime means that --timeout was over.
var errOutOfTime = errors.New("the time of --timeout was over")

// errNoAnswer means that a request was not answered in its time.
var errNoAnswer = errors.New("no answer")

// gatherer reads a cluster into an archive, one kind of thing after another.
type gatherer struct {
	options options
	config  *rest.Config
	// patience is how long one request may take.
	patience time.Duration
	raw      rest.Interface
	dynamic  dynamic.Interface

	archive *archive
	index   *index
	story   *story.Story

	// groups are the served API groups, each with its preferred version; nil if they could not be read.
	groups map[string]string
	// held are the nodes in maintenance, and pods their pods.
	held sets.Set[string]
	pods sets.Set[types.UID]
	// claims are what these pods mount, as namespace/name.
	claims sets.Set[string]
	// machines are the virtual machines on these nodes.
	machines sets.Set[string]
	// serverCA is what the serving certificate of the server is signed by.
	serverCA []byte
}

func newGatherer(o options, config *rest.Config, a *archive) (*gatherer, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = qps, burst
	config.UserAgent = "maintenance-apiserver must-gather"
	config.WarningHandler = rest.NoWarnings{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return bounded{next} })
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	raw, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	told := story.New(a.now)
	if o.since > 0 {
		told.AuditedSince = a.now.Add(-o.since)
	}
	return &gatherer{
		options: o, config: config, patience: requestTimeout, raw: raw.RESTClient(), dynamic: objects, archive: a,
		index: &index{version: buildversion.Get().String(), started: a.now}, story: told,
		held: sets.Set[string]{}, pods: sets.Set[types.UID]{}, claims: sets.Set[string]{}, machines: sets.Set[string]{},
	}, nil
}

// run collects everything. It fails if nothing can be read, or the archive cannot be written.
func (g *gatherer) run(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, g.options.timeout)
	defer cancel()
	for _, step := range g.steps() {
		if err := step(limited); err != nil {
			return fmt.Errorf("could not read anything from the cluster: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("could not finish the archive, since the command was stopped: %w", err)
		}
		if g.archive.err != nil {
			return fmt.Errorf("could not write the archive: %w", g.archive.err)
		}
	}
	return g.finish()
}

// steps are in an order in which each knows what it needs of those before.
func (g *gatherer) steps() []func(context.Context) error {
	return []func(context.Context) error{
		g.versions,
		g.holds, g.policies, g.profiles, g.scheduledEvents, g.nodes, g.states, g.plans, g.leases,
		g.podsOfNodes, g.budgets, g.attachments, g.volumeClaims, g.virtualMachines,
		g.events, g.admission, g.apiServices,
		g.serverPods, g.leadership, g.store, g.metrics, g.auditLog,
	}
}

// finish writes what was made of all that was read.
func (g *gatherer) finish() error {
	if !g.index.succeeded {
		return fmt.Errorf("could not read anything from the cluster: %s", g.index.missing()[0])
	}
	var page bytes.Buffer
	if err := g.story.Write(&page); err != nil {
		return err
	}
	g.index.begin("timeline.txt", "the story of each node in maintenance")
	g.archive.add("timeline.txt", page.Bytes())
	g.index.begin("index.txt", "what each file is, and what is missing")
	g.archive.add("index.txt", g.index.text(time.Now()))
	if err := g.archive.close(); err != nil {
		return fmt.Errorf("could not write the archive: %w", err)
	}
	return nil
}

// ask makes a request, in its time.
func (g *gatherer) ask(ctx context.Context, request func(context.Context) error) error {
	if ctx.Err() != nil {
		return errOutOfTime
	}
	limited, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	err := request(limited)
	switch {
	case err == nil:
		g.index.succeeded = true
		return nil
	case ctx.Err() != nil:
		return errOutOfTime
	case limited.Err() != nil:
		return fmt.Errorf("%w within %s: %w", errNoAnswer, g.patience, err)
	default:
		return err
	}
}

// unreachable reports whether there is nobody who could answer, now or later.
func unreachable(err error) bool {
	var broken *url.Error
	return errors.As(err, &broken) && !broken.Timeout()
}
