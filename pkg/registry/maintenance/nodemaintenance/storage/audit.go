// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Annotations of the audit event of a request that creates or deletes holds. The event itself names the
// user. If there are several holds, the values are sorted and separated by commas.
const (
	auditNode      = v1beta1.GroupName + "/node"
	auditRequestor = v1beta1.GroupName + "/requestor"
	auditReason    = v1beta1.GroupName + "/reason"
)

// auditBypass is the annotation of the audit event of a request that has a hold bypass the policies.
const auditBypass = v1beta1.GroupName + "/bypass"

// noteBypass writes into the audit log that a hold is to bypass the policies from now on. before is nil if it is new.
func noteBypass(ctx context.Context, before, hold *v1beta1.NodeMaintenance) {
	if hold.Spec.BypassPolicies && (before == nil || !before.Spec.BypassPolicies) {
		audit.AddAuditAnnotation(ctx, auditBypass, fmt.Sprintf("NodeMaintenance %q (%s) of node %q: %s",
			hold.Name, hold.UID, hold.Spec.NodeName, hold.Spec.Reason))
	}
}

// noteInAudit writes into the audit log the nodes of the holds, their requestors and their reasons.
func noteInAudit(ctx context.Context, objects ...runtime.Object) {
	var nodes, requestors, reasons []string
	for _, object := range objects {
		if hold, ok := object.(*v1beta1.NodeMaintenance); ok {
			nodes, requestors = append(nodes, hold.Spec.NodeName), append(requestors, hold.Spec.Requestor)
			if hold.Spec.Reason != "" {
				reasons = append(reasons, hold.Spec.Reason)
			}
		}
	}
	if len(nodes) > 0 {
		audit.AddAuditAnnotations(ctx, auditNode, joined(nodes), auditRequestor, joined(requestors), auditReason, joined(reasons))
	}
}

func joined(values []string) string {
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ",")
}
