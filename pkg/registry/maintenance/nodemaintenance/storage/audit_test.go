// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The audit log says once that a hold bypasses the policies.
func TestABypassIsInTheAuditLog(t *testing.T) {
	hold := func(bypass bool) *v1beta1.NodeMaintenance {
		return &v1beta1.NodeMaintenance{
			ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u"},
			Spec:       v1beta1.NodeMaintenanceSpec{NodeName: "w-1", Reason: "new disk", BypassPolicies: bypass},
		}
	}
	const noted = `NodeMaintenance "a" (u) of node "w-1": new disk`
	for name, test := range map[string]struct {
		before, after *v1beta1.NodeMaintenance
		want          string
	}{
		"a new hold":           {after: hold(true), want: noted},
		"a changed hold":       {before: hold(false), after: hold(true), want: noted},
		"no bypass":            {after: hold(false)},
		"it bypassed them yet": {before: hold(true), after: hold(true)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := audit.WithAuditContext(t.Context())
			if err := audit.AuditContextFrom(ctx).Init(audit.RequestAuditConfig{Level: auditinternal.LevelMetadata}, nil); err != nil {
				t.Fatal(err)
			}
			noteBypass(ctx, test.before, test.after)
			if got, _ := audit.AuditContextFrom(ctx).GetEventAnnotation(auditBypass); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
