// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapdata

import (
	"regexp"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// notInNames are what names of notifiers do not have here: import-profiles writes "_" instead.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]`)

// sent returns when notifiers have sent last. The controller knows them by the names of its configuration.
func sent(there map[string]time.Time, notifiers []v1beta1.ProfileNotifier) map[string]time.Time {
	here := map[string]time.Time{}
	for name, at := range there {
		here[notInNames.ReplaceAllString(name, "_")] = at
	}
	var known map[string]time.Time
	for i := range notifiers {
		if at, found := here[notifiers[i].Name]; found && !at.IsZero() {
			if known == nil {
				known = map[string]time.Time{}
			}
			known[notifiers[i].Name] = at
		}
	}
	return known
}
