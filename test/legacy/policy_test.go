// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// policy refuses NodeMaintenances of our group with a reason that no other test has.
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-idle-talk}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [maintenance.medik8s.io], apiVersions: [v1beta1], resources: [nodemaintenances], operations: [CREATE]}
  validations:
  - {expression: '!has(object.spec.reason) || object.spec.reason != "idle talk" || object.spec.requestor == ""', message: say why}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-idle-talk}
spec: {policyName: no-idle-talk, validationActions: [Deny]}
`

// A policy for our group sees writes through the old groups, as objects of ours.
func TestPolicyOfOurGroup(t *testing.T) {
	t.Parallel()
	env.Current(t).Kubectl().Must(t, policy, "create", "-f", "-")
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		tried := 0
		env.Eventually(t, "a create that breaks the policy is refused", func(context.Context) string {
			tried++
			got := u.Kubectl().Try(t, u.manifest(fmt.Sprintf("%s-%d", u.Name, tried), u.Nodes[0], "idle talk"), "create", "--dry-run=server", "-f", "-")
			if !strings.Contains(got.Stderr, "say why") {
				return got.Stdout + got.Stderr
			}
			return ""
		})
	})
}
