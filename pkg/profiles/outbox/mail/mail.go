// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mail sends notifications as mails. A mail that is sent again has the same Message-ID and the same date, so that
// most mailboxes show it once.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	gomail "github.com/wneessen/go-mail"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// maxAnswers is the most bytes that a mail server sends in one conversation, its certificates too. A line of an answer has
// 512 bytes, but the library keeps whatever comes until a line ends, and dozens of mails may be under way.
const maxAnswers = 256 * 1024

var errTooLarge = errors.New("its answers are larger than 256 KiB")

// Sender is the sender of the kind mail.
type Sender struct {
	endpoints endpoint.Endpoints
}

var _ outbox.Sender = (*Sender)(nil)

// New returns the sender.
func New(endpoints endpoint.Endpoints) *Sender { return &Sender{endpoints: endpoints} }

// Send implements outbox.Sender.
func (s *Sender) Send(ctx context.Context, message outbox.Message) (outbox.Receipt, error) {
	name := message.Target.Endpoint
	server, err := s.endpoints.SMTP(ctx, name)
	if err != nil {
		return outbox.Receipt{}, outbox.Unusable(name, s.endpoints.Clean(err))
	}
	letter, err := letterOf(message)
	if err != nil {
		return outbox.Receipt{}, &outbox.SendError{Class: outbox.Permanent, Reason: s.endpoints.Clean(err).Error()}
	}
	if err := s.endpoints.Wait(ctx, name); err != nil {
		return outbox.Receipt{}, outbox.Unusable(name, s.endpoints.Clean(err))
	}
	return outbox.Receipt{}, s.deliver(ctx, name, server, letter)
}

// deliver talks to the mail server, for its Timeout at most.
func (s *Sender) deliver(ctx context.Context, name string, server *endpoint.SMTP, letter *gomail.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, server.Timeout)
	defer cancel()
	client, err := gomail.NewClient(server.Host, options(ctx, server)...)
	if err != nil {
		return s.notConnected(name, err)
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.notConnected(name, err)
	}
	defer func() { _ = client.CloseWithSMTPClient(connection) }() // the server has said what became of the mail
	if err := client.SendWithSMTPClient(connection, letter); err != nil && !letter.IsDelivered() {
		return s.notSent(name, err)
	}
	return nil
}

// options are how to reach the mail server, and how to log in.
func options(ctx context.Context, server *endpoint.SMTP) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(server.Port), gomail.WithTimeout(server.Timeout), gomail.WithTLSConfig(server.TLS),
		gomail.WithDialContextFunc(dialer(ctx, server)), gomail.WithoutNoop(),
	}
	switch server.Encryption {
	case v1beta1.SMTPTLS:
		options = append(options, gomail.WithSSL())
	case v1beta1.SMTPUnencrypted:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if kind := mechanisms[server.Authentication]; kind != "" {
		options = append(options, gomail.WithSMTPAuth(kind),
			gomail.WithUsername(server.Username), gomail.WithPassword(server.Password))
	}
	return options
}

var mechanisms = map[v1beta1.SMTPAuthentication]gomail.SMTPAuthType{
	v1beta1.SMTPPlain: gomail.SMTPAuthPlain, v1beta1.SMTPLogin: gomail.SMTPAuthLogin,
	v1beta1.SMTPCRAMMD5: gomail.SMTPAuthCramMD5,
}

// dialer connects to the mail server, with TLS from the beginning if it is to be so. The connection ends with the
// context: the library looks at that only while it connects.
func dialer(whole context.Context, server *endpoint.SMTP) gomail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		unbounded, err := server.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(whole, func() { _ = unbounded.Close() })
		connection := &boundedConn{Conn: unbounded, left: maxAnswers}
		if server.Encryption != v1beta1.SMTPTLS {
			return connection, nil
		}
		encrypted := tls.Client(connection, server.TLS)
		return encrypted, encrypted.HandshakeContext(ctx)
	}
}

// boundedConn is a connection that may bring so many bytes.
type boundedConn struct {
	net.Conn
	left int
}

// Read implements io.Reader.
func (c *boundedConn) Read(into []byte) (int, error) {
	if c.left == 0 {
		return 0, errTooLarge
	}
	read, err := c.Conn.Read(into[:min(len(into), c.left)])
	c.left -= read
	return read, err
}
