// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// What the server has read from a cloud leaves users all their room.
func TestEventsThatCount(t *testing.T) {
	for source, want := range map[string]bool{"manual": true, v1beta1.AWSSource: false} {
		if got := ofUser(&v1beta1.ScheduledEvent{Spec: v1beta1.ScheduledEventSpec{Source: source}}); got != want {
			t.Errorf("an event of source %s counts: %t, want %t", source, got, want)
		}
	}
	same := v1beta1.ScheduledEventSpec{NodeName: "b", InstanceID: "i-1"}
	for name, test := range map[string]struct {
		spec v1beta1.ScheduledEventSpec
		want bool
	}{
		"of the node":     {v1beta1.ScheduledEventSpec{NodeName: "b"}, true},
		"of the instance": {v1beta1.ScheduledEventSpec{NodeName: "c", InstanceID: "i-1"}, true},
		"of another one":  {v1beta1.ScheduledEventSpec{NodeName: "c", InstanceID: "i-2"}, false},
		"of none":         {v1beta1.ScheduledEventSpec{}, false},
	} {
		if got := meansSame(&test.spec, &same); got != test.want {
			t.Errorf("%s: means the same: %t, want %t", name, got, test.want)
		}
	}
}
