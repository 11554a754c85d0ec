// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Each kind of notifier has somebody who sends.
func TestEveryKindOfNotifierIsSent(t *testing.T) {
	senders := newSenders(nil, nil)
	for _, kind := range []v1beta1.NotifierKind{
		v1beta1.NotifierSlack, v1beta1.NotifierSlackThread, v1beta1.NotifierMail, v1beta1.NotifierWebhook,
	} {
		if senders[kind] == nil {
			t.Errorf("nobody sends %s", kind)
		}
	}
	if len(senders) != 4 {
		t.Errorf("%d kinds are sent, want 4", len(senders))
	}
}
