// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package endpoint is where those who call other servers meet those who know how: a MaintenanceEndpoint
// and its Secret become a client that cannot reach what it must not reach. One package implements Endpoints, for all;
// checks (prometheus, http), the trigger webhook and the senders call it, and have no URLs, credentials or TLS settings
// of their own.
package endpoint

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Endpoints gives clients for MaintenanceEndpoints, by name. It answers from memory. What it gives is for one call, or
// some that follow at once: ask again for the next one, since the endpoint or its Secret may have changed.
//
// An error is an *Error if the endpoint cannot be used as it is. Its text can be shown to users.
type Endpoints interface {
	// HTTP returns a client for an endpoint with prometheus, http, webhook, keystone or slack.
	HTTP(ctx context.Context, name string) (*HTTP, error)
	// SMTP returns how to reach the mail server of an endpoint with smtp.
	SMTP(ctx context.Context, name string) (*SMTP, error)
	// Wait waits until the endpoint may be called once more, as its perMinute says, or until the context ends. Each call
	// is preceded by one Wait.
	Wait(ctx context.Context, name string) error
	// Clean takes what is secret out of an error: URLs, answers, and every value of Secrets that were read. Every error of
	// a call goes through it before it is stored, logged or shown.
	Clean(err error) error
}

// HTTP is how to call an HTTP server.
type HTTP struct {
	// Kind says which member of the endpoint is set.
	Kind Kind
	// Base is its URL. Paths are added to it. It is not to be shown: it may come from a Secret.
	Base *url.URL
	// Client calls it, and no other server. It adds the credentials (token, username and password, or the token of
	// Keystone), has the CAs and the timeout of the endpoint, follows no redirects, reaches no address that is refused,
	// and fails bodies that are larger than v1beta1.MaxAnswerBytes.
	Client *http.Client
	// HMACKey is the key that webhooks are signed with; nil: they are not signed.
	HMACKey []byte
	// Token is the key token of the Secret of an endpoint with slack, since Slack's library puts it into the body itself.
	// If it is empty, Base is an incoming webhook. It is never to be shown. Other endpoints have none: Client adds it.
	Token string
}

// SMTP is how to reach a mail server.
type SMTP struct {
	// Host is its name, which its certificate must have, and Port its port.
	Host string
	Port int
	// Encryption is how the connection is encrypted.
	Encryption v1beta1.SMTPEncryption
	// TLS has the CAs and the name of the server.
	TLS *tls.Config
	// Authentication is how to log in.
	Authentication v1beta1.SMTPAuthentication
	// Username and Password are the credentials. They are never to be shown.
	Username, Password string
	// Timeout is how long the whole conversation may take.
	Timeout time.Duration
	// Dial connects to it, and refuses addresses that must not be reached.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Kind is a kind of endpoint, named as its field in MaintenanceEndpointSpec.
type Kind string

// The kinds of endpoints.
const (
	KindSlack      Kind = "slack"
	KindSMTP       Kind = "smtp"
	KindPrometheus Kind = "prometheus"
	KindHTTP       Kind = "http"
	KindWebhook    Kind = "webhook"
	KindKeystone   Kind = "keystone"
)

// Error is the reason why an endpoint cannot be used: it does not exist, is of another kind, or its Secret cannot be read or lacks
// a key. It stays so until somebody changes something.
type Error struct {
	// Endpoint is the name of the endpoint.
	Endpoint string
	// Reason says in a sentence what is wrong, without values of Secrets.
	Reason string
}

func (e *Error) Error() string { return "endpoint " + e.Endpoint + ": " + e.Reason }
