// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Annotations of the audit event of a request that decides, or withdraws decisions. The event itself says which of
// them it is.
const (
	auditNode     = v1beta1.GroupName + "/node"
	auditApproval = v1beta1.GroupName + "/approval"
)

// noteInAudit writes into the audit log who has decided what.
func noteInAudit(ctx context.Context, hold *v1beta1.NodeMaintenance, decisions ...v1beta1.MaintenanceDecision) {
	sentences := make([]string, 0, len(decisions))
	for _, decision := range decisions {
		sentences = append(sentences, fmt.Sprintf("%q for policy %q by %q: generation %d of NodeMaintenance %q (%s) of %q",
			decision.Decision, decision.Policy, decision.By, decision.Generation, hold.Name, hold.UID, hold.Spec.Requestor))
	}
	audit.AddAuditAnnotations(ctx, auditNode, hold.Spec.NodeName, auditApproval, strings.Join(sentences, "; "))
}
