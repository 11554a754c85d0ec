// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
	gomail "github.com/wneessen/go-mail"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

func TestSend(t *testing.T) {
	for _, encryption := range []v1beta1.SMTPEncryption{v1beta1.SMTPStartTLS, v1beta1.SMTPTLS, v1beta1.SMTPUnencrypted} {
		t.Run(string(encryption), func(t *testing.T) {
			box := &mailbox{}
			to := serve(t, box, encryption)
			for range 2 {
				if _, err := New(to).Send(t.Context(), message()); err != nil {
					t.Fatal(err)
				}
			}
			if want := encryption != v1beta1.SMTPUnencrypted; box.encrypted != want || to.Waits != 2 {
				t.Errorf("encrypted %t, %d waits", box.encrypted, to.Waits)
			}
			if diff := cmp.Diff([]string{"a@example.com", "b@example.com"}, box.to[:2]); diff != "" {
				t.Errorf("recipients, -want +got:\n%s", diff)
			}
			for _, text := range box.mails {
				checkMail(t, text)
			}
		})
	}
}

// checkMail checks what a reader sees, and what must be the same each time.
func checkMail(t *testing.T, text string) {
	t.Helper()
	parsed, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := (&mime.WordDecoder{}).DecodeHeader(parsed.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Message-ID": "<u-1/mail/3.600@maintenance.medik8s.io>", "Date": "Fri, 20 Nov 2026 12:00:00 +0000",
		"From": `"Maintenance" <noreply@example.com>`, "To": `<a@example.com>, "B" <b@example.com>`,
		"Auto-Submitted": "auto-generated", "Bcc": "", "Content-Type": "text/plain; charset=UTF-8",
	}
	got := map[string]string{}
	for key := range want {
		got[key] = parsed.Header.Get(key)
	}
	if diff := cmp.Diff(want, got); diff != "" || subject != "wörker-1 Bcc: c@example.com" {
		t.Errorf("subject %q, -want +got:\n%s", subject, diff)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil || strings.ReplaceAll(strings.TrimSpace(string(body)), "\r\n", "\n") != message().Texts.Message {
		t.Errorf("error %v, body %q", err, body)
	}
}

func TestLogin(t *testing.T) {
	tests := map[v1beta1.SMTPAuthentication]string{
		v1beta1.SMTPPlain: "PLAIN", v1beta1.SMTPLogin: "LOGIN", v1beta1.SMTPCRAMMD5: "CRAM-MD5",
	}
	for authentication, want := range tests {
		for _, encryption := range []v1beta1.SMTPEncryption{v1beta1.SMTPStartTLS, v1beta1.SMTPTLS} {
			t.Run(want+"/"+string(encryption), func(t *testing.T) {
				box := &mailbox{mechanisms: []string{"PLAIN", "LOGIN", "CRAM-MD5"}}
				to := serve(t, box, encryption)
				to.ToSMTP.Authentication, to.ToSMTP.Username, to.ToSMTP.Password = authentication, username, password
				if _, err := New(to).Send(t.Context(), message()); err != nil || box.loggedIn != want {
					t.Errorf("logged in with %q, error %v", box.loggedIn, err)
				}
				to.ToSMTP.Password = password + "!"
				_, err := New(to).Send(t.Context(), message())
				wantClass(t, err, outbox.Temporary,
					"could not log in to the mail server (endpoint e): it has answered with the code 454")
			})
		}
	}
}

func TestWhatTheServerSays(t *testing.T) {
	code := func(code int) error { return &smtp.SMTPError{Code: code, Message: password + " is wrong"} }
	tests := map[string]struct {
		box    *mailbox
		want   outbox.Class
		reason string
	}{
		"a sender later":    {&mailbox{mail: code(451)}, outbox.Temporary, "answered with the code 451 to the sender"},
		"a sender never":    {&mailbox{mail: code(550)}, outbox.Permanent, "answered with the code 550 to the sender"},
		"a recipient later": {&mailbox{rcpt: code(450)}, outbox.Temporary, "answered with the code 450 to a recipient"},
		"a recipient never": {&mailbox{rcpt: code(550)}, outbox.Permanent, "answered with the code 550 to a recipient"},
		"a text later":      {&mailbox{data: code(452)}, outbox.Temporary, "answered with the code 452 to the text"},
		"a text never":      {&mailbox{data: code(554)}, outbox.Permanent, "answered with the code 554 to the text"},
		"an answer lost":    {&mailbox{hangUp: true}, outbox.Maybe, "gave no answer that says whether it has the mail"},
		"no login was wanted": {
			&mailbox{mechanisms: []string{"PLAIN"}}, outbox.Permanent, "answered with the code 502 to the sender",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(serve(t, test.box, v1beta1.SMTPStartTLS)).Send(t.Context(), message())
			wantClass(t, err, test.want, test.reason)
		})
	}
}

func TestNoConversation(t *testing.T) {
	t.Run("no encryption", func(t *testing.T) {
		box := &mailbox{}
		to := serve(t, box, v1beta1.SMTPUnencrypted)
		to.ToSMTP.Encryption = v1beta1.SMTPStartTLS
		_, err := New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "does not support STARTTLS")
		if len(box.mails) > 0 {
			t.Error("the mail was sent without encryption")
		}
	})
	t.Run("a wrong certificate", func(t *testing.T) {
		to := serve(t, &mailbox{}, v1beta1.SMTPTLS)
		to.ToSMTP.TLS.ServerName = "mail.test"
		_, err := New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "mail.test")
	})
	t.Run("no server", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		to := serve(t, &mailbox{}, v1beta1.SMTPTLS)
		dial := net.Dialer{}
		to.ToSMTP.Dial = dial.DialContext
		listener.Close()
		to.ToSMTP.Host, to.ToSMTP.Port = "127.0.0.1", listener.Addr().(*net.TCPAddr).Port
		_, err = New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "connection refused")
	})
	t.Run("a silent server", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		to := serve(t, &mailbox{}, v1beta1.SMTPStartTLS)
		dial := net.Dialer{}
		to.ToSMTP.Dial, to.ToSMTP.Timeout = dial.DialContext, 100*time.Millisecond
		to.ToSMTP.Host, to.ToSMTP.Port = "127.0.0.1", listener.Addr().(*net.TCPAddr).Port
		begun := time.Now()
		_, err = New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "could not log in")
		if waited := time.Since(begun); waited >= gomail.DefaultTimeout {
			t.Errorf("it took %v", waited)
		}
	})
	t.Run("a line without an end", func(t *testing.T) {
		to := serve(t, &mailbox{}, v1beta1.SMTPUnencrypted)
		to.ToSMTP.Dial = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				_, _ = theirs.Write(append([]byte("220 "), bytes.Repeat([]byte("a"), 4*maxAnswers)...))
				_ = theirs.Close()
			}()
			return ours, nil
		}
		_, err := New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "its answers are larger than 256 KiB")
	})
	t.Run("no endpoint", func(t *testing.T) {
		to := serve(t, &mailbox{}, v1beta1.SMTPTLS)
		to.Err = &endpoint.Error{Endpoint: "e", Reason: "it is no mail server"}
		_, err := New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "endpoint e: it is no mail server")
	})
	t.Run("too often", func(t *testing.T) {
		to := serve(t, &mailbox{}, v1beta1.SMTPTLS)
		to.WaitErr = errors.New("too often")
		_, err := New(to).Send(t.Context(), message())
		wantClass(t, err, outbox.Temporary, "too often")
	})
	t.Run("no address", func(t *testing.T) {
		to := serve(t, &mailbox{}, v1beta1.SMTPTLS)
		strange := message()
		strange.Target.To = []string{"nobody"}
		_, err := New(to).Send(t.Context(), strange)
		wantClass(t, err, outbox.Permanent, `one of ["nobody"] is no address of a mail`)
	})
}
