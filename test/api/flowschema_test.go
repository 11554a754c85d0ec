// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// What the server asks kube-apiserver about a client does not queue with the clients' own requests.
func TestAccessReviewsHaveTheirOwnPriority(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 1)
	user(t, "stranger-of-"+pool.Name).get(t, collection)
	const want = `apiserver_flowcontrol_dispatched_requests_total{flow_schema="maintenance-apiserver-access-reviews",priority_level="workload-high"}`
	env.Eventually(t, "access reviews of a priority of their own", func(context.Context) string {
		if !strings.Contains(e.Kubectl().Must(t, "", "get", "--raw", "/metrics"), want) {
			return "no " + want
		}
		return ""
	})
}
