// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

const (
	// Timeout is how long a query may take.
	Timeout = 5 * time.Second
	// maxError is the most bytes of an error of the server that a message has.
	maxError = 300
)

// Config is which server is asked.
type Config struct {
	// URL is the server's address with http or https, and perhaps a path before /api/v1. Required.
	URL string
	// CAFile has the certificates, as PEM, of the CAs that the server's certificate may be from. Default: those of
	// the system. It is read for each request, so that it may change.
	CAFile string
	// TokenFile has the bearer token that the server wants. Default: none. It is read for each request, so that it
	// may change.
	TokenFile string
}

// Client asks the server. Use New.
type Client struct {
	api       prometheusv1.API
	transport *transport
	timeout   time.Duration
	problems  problemLog
}

// New returns a Client, which has not asked anything yet. It fails when the URL is none.
func New(config Config) (*Client, error) {
	transport := &transport{config: config}
	client, err := api.NewClient(api.Config{
		Address: config.URL, Client: &http.Client{Transport: transport, CheckRedirect: sameServer},
	})
	if err != nil {
		return nil, fmt.Errorf("could not use the URL of Prometheus: %w", err)
	}
	return &Client{api: prometheusv1.NewAPI(client), transport: transport, timeout: Timeout}, nil
}

// Rest closes the connections that nothing uses. The next query opens one again.
func (c *Client) Rest() { c.transport.rest() }

// Passes says whether the query has a result now, and if not, why, for people to read. A query that gets no
// answer in Timeout does not pass, and neither does one with a warning: the result may lack something. The reason is always
// the same for the same problem; the log says more.
func (c *Client) Passes(ctx context.Context, query string) (passes bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	result, warnings, err := c.api.Query(ctx, query, time.Time{})
	switch {
	case err != nil:
		why = quote.Cut(c.problem(err), maxError)
		c.problems.note(ctx, query, why, err.Error())
	case len(warnings) > 0:
		why = incomplete
		c.problems.note(ctx, query, why, quote.Cut(strings.Join(warnings, "; "), maxError))
	default:
		why = missing(result)
	}
	return why == "", why
}
