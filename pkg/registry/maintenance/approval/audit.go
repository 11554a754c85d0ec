// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// Annotations of the audit event of a request that decides, or withdraws decisions. The event itself says which of
// them it is.
const (
	auditNode     = maintenance.GroupName + "/node"
	auditApproval = maintenance.GroupName + "/approval"
)

// noteInAudit writes into the audit log who has decided what.
func noteInAudit(ctx context.Context, hold *maintenance.NodeMaintenance, decisions ...maintenance.MaintenanceDecision) {
	sentences := make([]string, 0, len(decisions))
	for _, decision := range decisions {
		sentences = append(sentences, fmt.Sprintf("%q for policy %q by %q: generation %d of NodeMaintenance %q (%s) of %q",
			decision.Decision, decision.Policy, decision.By, decision.Generation, hold.Name, hold.UID, hold.Spec.Requestor))
	}
	audit.AddAuditAnnotations(ctx, auditNode, hold.Spec.NodeName, auditApproval, strings.Join(sentences, "; "))
}
