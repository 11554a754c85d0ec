// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The values of a Secret, none of which may be in an error.
var secretValues = map[string]string{
	"url":   "https://hooks.example.com/services/T0/B0/XyZ?sig=a%20b",
	"token": "xoxb-1234-abcd", "username": "maintenance-bot", "password": `pa"ss <wörd>/+`,
	"hmacKey": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
}

func TestErrorsHaveNoSecrets(t *testing.T) {
	w := newWorld(t)
	w.secret("s", secretValues)
	w.endpoint("e", "s", v1beta1.MaintenanceEndpointSpec{Webhook: urlEndpoint("")})
	if _, err := w.HTTP(t.Context(), "e"); err != nil {
		t.Fatal(err)
	}
	hook := secretValues["url"]
	user, password := secretValues["username"], secretValues["password"]
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	call := func(err error) error { return &url.Error{Op: "Post", URL: hook, Err: err} }
	tests := map[string]struct {
		err  error
		want string
	}{
		"a call":                 {call(errors.New("malformed answer")), "malformed answer"},
		"a call within":          {fmt.Errorf("could not post: %w", call(errors.New("odd"))), "could not post: odd"},
		"a URL in a text":        {errors.New("GET " + hook + " failed"), "GET (URL) failed"},
		"a URL of others":        {errors.New("see https://u:p@other.example.com/x?token=1"), "see (URL)"},
		"a part of the URL":      {errors.New("no route /services/T0/B0/XyZ"), "no route (secret)"},
		"the host of the URL":    {errors.New("hooks.example.com is odd"), "(secret) is odd"},
		"a refused connection":   {call(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), "it refuses connections"},
		"an unknown name":        {call(&net.DNSError{Name: "hooks.example.com", IsNotFound: true}), "its name is not known to DNS"},
		"DNS that fails":         {call(&net.DNSError{Name: "hooks.example.com"}), "its name could not be looked up in DNS"},
		"a lost connection":      {call(io.EOF), "it closed the connection"},
		"a reset connection":     {call(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), "it closed the connection"},
		"a broken pipe":          {call(&net.OpError{Op: "write", Err: syscall.EPIPE}), "it closed the connection"},
		"a connection too old":   {call(errors.New("http: server closed idle connection")), "it closed the connection"},
		"a timeout":              {call(context.DeadlineExceeded), "it did not answer in time"},
		"a stop":                 {call(context.Canceled), "the call was stopped"},
		"a token":                {errors.New("invalid header Bearer xoxb-1234-abcd"), "invalid header Bearer (secret)"},
		"a quoted password":      {fmt.Errorf("not accepted: %q", password), `not accepted: "(secret)"`},
		"a password in JSON":     {errors.New(`{"p":"pa\"ss \u003cwörd\u003e/+"}`), `{"p":"(secret)"}`},
		"a password in a form":   {errors.New("p=" + url.QueryEscape(password)), "p=(secret)"},
		"a password in a path":   {errors.New("p=" + url.PathEscape(password)), "p=(secret)"},
		"basic authentication":   {errors.New("Basic " + encode(user+":"+password)), "Basic (secret)"},
		"SMTP's PLAIN":           {errors.New("AUTH PLAIN " + encode("\x00"+user+"\x00"+password)), "AUTH PLAIN (secret)"},
		"SMTP's LOGIN":           {errors.New(encode(user) + " " + encode(password)), "(secret) (secret)"},
		"the key of signatures":  {errors.New("bad key " + secretValues["hmacKey"]), "bad key (secret)"},
		"hidden characters":      {errors.New("odd\x1b[31m\nline"), `odd\u001b[31m\nline`},
		"an error of the server": {errors.New("user " + user + " is locked"), "user (secret) is locked"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cleaned := w.Clean(test.err)
			if cleaned.Error() != test.want {
				t.Errorf("%q, want %q", cleaned, test.want)
			}
			for wrapped := cleaned; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
				for key, secret := range secretValues {
					if strings.Contains(wrapped.Error(), secret) {
						t.Errorf("%q shows the key %s", wrapped, key)
					}
				}
			}
		})
	}
	if w.Clean(nil) != nil {
		t.Error("no error became one")
	}
	long := w.Clean(errors.New(strings.Repeat("é", 1000))).Error()
	if len(long) > v1beta1.MaxProfileMessageBytes || !strings.HasSuffix(long, "é...") {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}

func TestOldSecretsAreForgottenLast(t *testing.T) {
	r := &redactor{}
	for i := range 3 * maxSecrets {
		r.add(fmt.Sprintf("secret-number-%d", i))
	}
	if len(r.secrets) > maxSecrets || r.clean("secret-number-6143") != shown {
		t.Errorf("%d are remembered", len(r.secrets))
	}
}
