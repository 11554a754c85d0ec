// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiledecision

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Annotations of the audit event of a request that decides, or withdraws decisions. The event itself says which of them it
// is.
const (
	auditNode     = v1beta1.GroupName + "/node"
	auditDecision = v1beta1.GroupName + "/decision"
)

// noteInAudit writes into the audit log who has decided what.
func noteInAudit(ctx context.Context, nodeProfile *v1beta1.NodeProfile, decisions ...v1beta1.RecordedDecision) {
	sentences := make([]string, 0, len(decisions))
	for _, decision := range decisions {
		sentences = append(sentences, fmt.Sprintf("%q of transition %q by %q: sequence %d of NodeProfile %q (%s)",
			decision.Decision, decision.Transition, decision.By, decision.Sequence, nodeProfile.Name, nodeProfile.UID))
	}
	audit.AddAuditAnnotations(ctx, auditNode, nodeProfile.Spec.NodeName, auditDecision, strings.Join(sentences, "; "))
}
