// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"fmt"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// idDomain is what Message-IDs end with.
const idDomain = "@maintenance.medik8s.io"

// letterOf is the mail of a message. It depends on the message alone.
func letterOf(message outbox.Message) (*gomail.Msg, error) {
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := letter.From(message.Target.From); err != nil {
		return nil, fmt.Errorf("the sender %q is no address of a mail", message.Target.From)
	}
	if err := letter.To(message.Target.To...); err != nil {
		return nil, fmt.Errorf("one of %q is no address of a mail", message.Target.To)
	}
	letter.Subject(oneLine.Replace(message.Texts.Title))
	letter.SetMessageIDWithValue(message.ID + idDomain)
	letter.SetDateWithValue(message.Time.UTC())
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // so that nobody is told that somebody is on holiday
	letter.SetBodyString(gomail.TypeTextPlain, message.Texts.Message)
	return letter, nil
}

var oneLine = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")
