// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package message_test

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

func TestWebhookJSON(t *testing.T) {
	t.Parallel()
	got, err := message.Webhook{
		Node: "worker-1", Profile: `a"b`, State: v1beta1.ProfileOperational,
		Since: time.Date(2026, 11, 20, 23, 0, 0, 0, time.FixedZone("", 3600)), Notifier: "hook", Occasion: "4",
	}.JSON()
	const want = `{"node":"worker-1","profile":"a\"b","state":"Operational","since":"2026-11-20T22:00:00Z",` +
		`"notifier":"hook","occasion":"4"}`
	if err != nil || got != want {
		t.Errorf("JSON() = %s, %v, want %s", got, err, want)
	}
}
