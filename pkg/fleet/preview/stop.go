// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// clockSkew is how far the clock of whoever writes a policy may be ahead.
const clockSkew = 5 * time.Minute

// stopWarnings warns of an automatic stop that is switched off, since failures of the future are ignored, too.
func stopWarnings(stop *v1beta1.PolicyAutoStop, now time.Time) []string {
	if stop == nil || stop.IgnoreBefore == nil || stop.IgnoreBefore.Sub(now) <= clockSkew {
		return nil
	}
	return []string{fmt.Sprintf("spec.autoStop.ignoreBefore is in the future: failures do not stop this policy until %s; now is %s",
		stop.IgnoreBefore.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))}
}
