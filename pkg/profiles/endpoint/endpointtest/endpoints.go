// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package endpointtest has endpoints for tests of those who call them.
package endpointtest

import (
	"context"
	"errors"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// Secret is in the text of errors that Clean takes it out of.
const Secret = "s3cret"

// Endpoints gives the same clients for each name.
type Endpoints struct {
	// ToHTTP and ToSMTP are the clients.
	ToHTTP *endpoint.HTTP
	ToSMTP *endpoint.SMTP
	// Err is the error of HTTP and SMTP.
	Err error
	// WaitErr is the error of Wait, and Waits is how many times it was called.
	WaitErr error
	Waits   int
}

var _ endpoint.Endpoints = &Endpoints{}

// HTTP implements endpoint.Endpoints.
func (e *Endpoints) HTTP(context.Context, string) (*endpoint.HTTP, error) { return e.ToHTTP, e.Err }

// SMTP implements endpoint.Endpoints.
func (e *Endpoints) SMTP(context.Context, string) (*endpoint.SMTP, error) { return e.ToSMTP, e.Err }

// Wait implements endpoint.Endpoints.
func (e *Endpoints) Wait(context.Context, string) error {
	e.Waits++
	return e.WaitErr
}

// Clean implements endpoint.Endpoints.
func (e *Endpoints) Clean(err error) error {
	var known *endpoint.Error
	if errors.As(err, &known) {
		return known
	}
	return errors.New(strings.ReplaceAll(err.Error(), Secret, "(secret)"))
}
