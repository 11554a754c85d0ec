// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// Annotations of the audit event of a request that starts or ends holds. Who makes it, the event
// says itself. Of several holds the values are sorted, and separated by commas.
const (
	auditNode      = maintenance.GroupName + "/node"
	auditRequestor = maintenance.GroupName + "/requestor"
	auditReason    = maintenance.GroupName + "/reason"
)

// noteInAudit writes into the audit log which nodes the request is about, whose the holds are and
// what they are for.
func noteInAudit(ctx context.Context, objects ...runtime.Object) {
	var nodes, requestors, reasons []string
	for _, object := range objects {
		if hold, ok := object.(*maintenance.NodeMaintenance); ok {
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
