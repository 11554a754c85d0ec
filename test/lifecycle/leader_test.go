// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestLease has the one server stand for election, too. Its requests for the lease do not queue behind its evictions,
// and it gives the lease up when it stops.
func TestLease(t *testing.T) {
	e := env.Current(t)
	holder := func(ctx context.Context) (string, error) {
		lease, err := e.Kube.CoordinationV1().Leases(localcluster.ServerNamespace).Get(ctx, localcluster.ServerName, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
	}
	server := replaceServer(t, localcluster.ServerOptions{ExtraArgs: []string{"--leader-elect"}})
	env.Eventually(t, "the server holds the lease", func(ctx context.Context) string {
		if name, err := holder(ctx); name == "" || err != nil {
			return fmt.Sprintf("the holder is %q: %v", name, err)
		}
		return ""
	})
	const want = `apiserver_flowcontrol_dispatched_requests_total{flow_schema="maintenance-apiserver-leader-election",priority_level="leader-election"}`
	env.Eventually(t, "requests for the lease of a priority of their own", func(context.Context) string {
		if !strings.Contains(e.Kubectl().Must(t, "", "get", "--raw", "/metrics"), want) {
			return "no " + want
		}
		return ""
	})
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if name, err := holder(t.Context()); name != "" || err != nil {
		t.Errorf("after the server has stopped, %q holds the lease: %v", name, err)
	}
}
