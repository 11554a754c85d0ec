// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Message says in one line what is waited for, in the order given: policy "workers": 2 of 2 nodes in maintenance (w-1,
// w-4); opens Sat 22:00 CET. It is the message of the condition Admitted; its reason is that of the first wait.
func Message(waits []v1beta1.AdmissionWait) string {
	parts := make([]string, len(waits))
	for i, wait := range waits {
		parts[i] = wait.Message
		if wait.Policy != "" && (i == 0 || waits[i-1].Policy != wait.Policy) {
			parts[i] = fmt.Sprintf("policy %q: %s", wait.Policy, wait.Message)
		}
	}
	return strings.Join(parts, "; ")
}
