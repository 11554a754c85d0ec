// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/promquery"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// answered is what a server has answered.
type answered struct {
	input expression.Input
	// said says it in a few words, and info has its numbers.
	said string
	info map[string]string
}

// call asks the endpoint, and has the expressions judge the answer.
func (p *polls) call(ctx context.Context, asked question, expressions []string) finding {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answer := &arriving{room: &p.room, stop: stop}
	defer answer.leave()
	found := p.judged(ctx, asked, expressions, answer)
	if errors.Is(context.Cause(ctx), errNoRoom) {
		return finding{problem: p.problem(asked.endpoint, errNoRoom)}
	}
	return found
}

func (p *polls) judged(ctx context.Context, asked question, expressions []string, answer *arriving) finding {
	began := p.config.Clock.Now()
	got, err := p.get(ctx, asked, answer)
	if err != nil {
		return finding{problem: p.problem(asked.endpoint, err)}
	}
	found := finding{verdicts: map[string]evaluation.Answer{}}
	for _, source := range expressions {
		verdict := judge(ctx, asked.environment(), source, got, p.config.Endpoints.Clean)
		verdict.Time = began
		found.verdicts[source] = verdict
	}
	return found
}

func (p *polls) get(ctx context.Context, asked question, answer *arriving) (answered, error) {
	server, err := p.config.Endpoints.HTTP(ctx, asked.endpoint)
	if err != nil {
		return answered{}, err
	}
	if err := asked.suits(server.Kind); err != nil {
		return answered{}, err
	}
	own := *server
	own.Client, server = answer.counting(server.Client), &own
	if asked.prometheus {
		return query(ctx, server, asked.text)
	}
	return fetch(ctx, server, asked.text, p.config.NodeCount())
}

// suits refuses an endpoint of another kind.
func (q question) suits(kind endpoint.Kind) error {
	wanted := "http or keystone"
	suits := kind == endpoint.KindHTTP || kind == endpoint.KindKeystone
	if q.prometheus {
		wanted, suits = "prometheus", kind == endpoint.KindPrometheus
	}
	if suits {
		return nil
	}
	return &endpoint.Error{
		Endpoint: q.endpoint, Reason: fmt.Sprintf("the check needs an endpoint with %s, and this one has %s", wanted, kind),
	}
}

func (q question) environment() *expression.Environment[bool] {
	if q.prometheus {
		return expression.Prometheus
	}
	return expression.HTTP
}

func query(ctx context.Context, server *endpoint.HTTP, promQL string) (answered, error) {
	value, err := promquery.Number(ctx, server.Base.String(), server.Client, promQL)
	if err != nil {
		return answered{}, err
	}
	text := strconv.FormatFloat(value, 'g', -1, 64)
	return answered{
		input: expression.Input{Value: value}, said: "the value is " + text, info: map[string]string{"value": text},
	}, nil
}

func fetch(ctx context.Context, server *endpoint.HTTP, path string, nodeCount int) (answered, error) {
	response, err := get(ctx, server, path)
	if err != nil {
		return answered{}, err
	}
	status, count := strconv.Itoa(response.Status), strconv.Itoa(nodeCount)
	return answered{
		input: expression.Input{Response: response, NodeCount: nodeCount},
		said:  "the server has answered " + status + ", and nodeCount is " + count,
		info:  map[string]string{"status": status, "nodeCount": count},
	}, nil
}

// problem says for users why there is no answer, without what is secret.
func (p *polls) problem(name string, err error) string {
	var unusable *endpoint.Error
	text := p.config.Endpoints.Clean(err).Error()
	if !errors.As(err, &unusable) { // else it has the name
		text = "endpoint " + name + ": " + text
	}
	return quote.Cut(text, v1beta1.MaxProfileMessageBytes)
}
