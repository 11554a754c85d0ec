// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// tokenMargin is how long before its end a token is not used any more.
const tokenMargin = time.Minute

// session is a token of Keystone.
type session struct {
	token   string
	expires time.Time
	// login is what it was got with.
	login login
}

// withKeystone adds a token of Keystone.
func (c *Clients) withKeystone(
	e *v1beta1.MaintenanceEndpoint, l login, transport http.RoundTripper,
) func(*http.Request) error {
	c.redact.add(l.Password, l.CredentialSecret, l.Username, l.url)
	return func(request *http.Request) error {
		token, err := c.token(request.Context(), e.Name, l, transport)
		if err != nil {
			return err
		}
		request.Header.Set("X-Auth-Token", token)
		return nil
	}
}

// token returns a token that is valid, the last one if possible.
func (c *Clients) token(ctx context.Context, name string, l login, transport http.RoundTripper) (string, error) {
	if s := c.session(name); s.login == l && c.config.Clock.Now().Before(s.expires.Add(-tokenMargin)) {
		return s.token, nil
	}
	s, err := logIn(ctx, l, transport)
	if err != nil {
		return "", err
	}
	c.redact.add(s.token)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(name).session = s
	return s.token, nil
}

func (c *Clients) session(name string) session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keep(name).session
}

// forgetToken has the next call log in again: Keystone may have revoked the token.
func (c *Clients) forgetToken(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(name).session = session{}
}

// logIn asks Keystone for a token.
func logIn(ctx context.Context, l login, transport http.RoundTripper) (session, error) {
	body, err := json.Marshal(l.request())
	if err != nil {
		return session{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return session{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return session{}, fmt.Errorf("could not get a token of Keystone: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	if response.StatusCode != http.StatusCreated {
		return session{}, fmt.Errorf("could not get a token of Keystone: it answered with %d", response.StatusCode)
	}
	return sessionOf(response, l)
}

func sessionOf(response *http.Response, l login) (session, error) {
	var answer struct {
		Token struct {
			Expires time.Time `json:"expires_at"`
		} `json:"token"`
	}
	body := io.LimitReader(response.Body, maxToken)
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return session{}, fmt.Errorf("could not read the answer of Keystone: %w", err)
	}
	return session{token: response.Header.Get("X-Subject-Token"), expires: answer.Token.Expires, login: l}, nil
}
