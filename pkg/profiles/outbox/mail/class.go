// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"errors"
	"fmt"
	"net/textproto"

	gomail "github.com/wneessen/go-mail"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// notConnected is the error of a conversation that did not come to the mail: the connection, its encryption or the login
// has failed. An admin may repair that.
func (s *Sender) notConnected(name string, err error) error {
	reason := fmt.Sprintf("could not log in to the mail server (endpoint %s): ", name)
	var answer *textproto.Error
	if errors.As(err, &answer) {
		reason += fmt.Sprintf("it has answered with the code %d", answer.Code)
	} else {
		reason += s.endpoints.Clean(err).Error()
	}
	return &outbox.SendError{Class: outbox.Temporary, Reason: reason}
}

// notSent is the error of a mail that was not taken.
func (s *Sender) notSent(name string, err error) error {
	var failed *gomail.SendError
	if !errors.As(err, &failed) {
		return &outbox.SendError{Class: outbox.Maybe, Reason: s.endpoints.Clean(err).Error()}
	}
	class := classOf(failed)
	reason := fmt.Sprintf("the mail server (endpoint %s) ", name)
	switch code := failed.ErrorCode(); {
	case code != 0:
		reason += fmt.Sprintf("has answered with the code %d to %s", code, commandOf(failed.Reason))
	case class == outbox.Maybe:
		reason += "gave no answer that says whether it has the mail"
	default:
		reason += "gave no answer to " + commandOf(failed.Reason)
	}
	return &outbox.SendError{Class: class, Reason: reason}
}

// classOf goes by the code: 4xx means later, 5xx never. Without one, the connection was lost: the server has the mail
// only if that was after the text was sent.
func classOf(failed *gomail.SendError) outbox.Class {
	switch code := failed.ErrorCode(); {
	case code >= 500:
		return outbox.Permanent
	case code >= 400:
		return outbox.Temporary
	case failed.Reason == gomail.ErrSMTPDataClose, failed.Reason == gomail.ErrWriteContent:
		return outbox.Maybe
	default:
		return outbox.Temporary
	}
}

func commandOf(reason gomail.SendErrReason) string {
	switch reason {
	case gomail.ErrSMTPMailFrom:
		return "the sender"
	case gomail.ErrSMTPRcptTo:
		return "a recipient"
	default:
		return "the text"
	}
}
