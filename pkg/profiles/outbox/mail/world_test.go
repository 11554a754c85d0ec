// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint/endpointtest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

const (
	username = "user"
	password = endpointtest.Secret
)

// mailbox is a mail server.
type mailbox struct {
	mu    sync.Mutex
	mails []string
	to    []string
	// loggedIn is the mechanism of the last login, and encrypted says whether the last mail came over TLS.
	loggedIn  string
	encrypted bool
	// mail, rcpt and data are the errors of the commands.
	mail, rcpt, data error
	// hangUp closes the connection while the text comes.
	hangUp bool
	// mechanisms are those that are offered.
	mechanisms []string
}

// session is a conversation.
type session struct {
	box        *mailbox
	connection *smtp.Conn
	loggedIn   bool
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) Mail(string, *smtp.MailOptions) error {
	if len(s.box.mechanisms) > 0 && !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	return s.box.mail
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.to = append(s.box.to, to)
	return s.box.rcpt
}

func (s *session) Data(text io.Reader) error {
	read, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	_, s.box.encrypted = s.connection.TLSConnectionState()
	if s.box.data == nil {
		s.box.mails = append(s.box.mails, string(read))
	}
	if s.box.hangUp {
		_ = s.connection.Conn().Close()
	}
	return s.box.data
}

func (s *session) AuthMechanisms() []string { return s.box.mechanisms }

// Auth logs in.
func (s *session) Auth(mechanism string) (sasl.Server, error) {
	check := func(ok bool) error {
		if !ok {
			return errors.New("wrong password of " + username)
		}
		s.loggedIn, s.box.loggedIn = true, mechanism
		return nil
	}
	switch mechanism {
	case sasl.Plain:
		return sasl.NewPlainServer(func(_, name, pass string) error { return check(name == username && pass == password) }), nil
	case sasl.Login:
		return &login{check: check}, nil
	case "CRAM-MD5":
		return &cram{check: check}, nil
	default:
		return nil, smtp.ErrAuthUnknownMechanism
	}
}

// login speaks LOGIN.
type login struct {
	check func(bool) error
	said  []string
}

func (l *login) Next(response []byte) ([]byte, bool, error) {
	if response != nil {
		l.said = append(l.said, string(response))
	}
	switch len(l.said) {
	case 0:
		return []byte("Username:"), false, nil
	case 1:
		return []byte("Password:"), false, nil
	default:
		return nil, true, l.check(slices.Equal(l.said, []string{username, password}))
	}
}

// cram speaks CRAM-MD5.
type cram struct {
	check func(bool) error
}

func (c *cram) Next(response []byte) ([]byte, bool, error) {
	const challenge = "<1.2@example.com>"
	if response == nil {
		return []byte(challenge), false, nil
	}
	code := hmac.New(md5.New, []byte(password))
	code.Write([]byte(challenge))
	return nil, true, c.check(string(response) == username+" "+hex.EncodeToString(code.Sum(nil)))
}

// serve starts a mail server, and returns endpoints that reach it.
func serve(t *testing.T, box *mailbox, encryption v1beta1.SMTPEncryption) *endpointtest.Endpoints {
	t.Helper()
	certificates := httptest.NewTLSServer(nil)
	certificates.Close()
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{box: box, connection: c}, nil
	}))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "example.com", true, log.New(io.Discard, "", 0)
	config := &tls.Config{Certificates: certificates.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	switch encryption {
	case v1beta1.SMTPStartTLS:
		server.TLSConfig = config
	case v1beta1.SMTPTLS:
		listener = tls.NewListener(listener, config)
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		listener.Close()
		server.Close()
		serving.Wait()
	})
	roots := x509.NewCertPool()
	roots.AddCert(certificates.Certificate())
	return &endpointtest.Endpoints{ToSMTP: &endpoint.SMTP{
		Host: "example.com", Port: 25, Encryption: encryption, Timeout: time.Minute,
		TLS: &tls.Config{RootCAs: roots, ServerName: "example.com"}, Authentication: v1beta1.SMTPNoAuthentication,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String())
		},
	}}
}

func message() outbox.Message {
	return outbox.Message{
		ID: "u-1/mail/3.600", Time: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Target: v1beta1.NotificationTarget{
			Endpoint: "e", From: "Maintenance <noreply@example.com>", To: []string{"a@example.com", "B <b@example.com>"},
		},
		Texts: v1beta1.NotificationTexts{
			Title: "wörker-1\r\nBcc: c@example.com", Message: "worker-1 is in maintenance.\n.\nänd more",
		},
	}
}

func wantClass(t *testing.T, err error, want outbox.Class, reason string) {
	t.Helper()
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Class != want || !strings.Contains(failed.Reason, reason) {
		t.Fatalf("error %#v, want class %d and %q", err, want, reason)
	}
	if strings.Contains(failed.Reason, endpointtest.Secret) {
		t.Errorf("it shows a secret: %s", failed.Reason)
	}
}
