// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubevirt

import (
	"context"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
	"github.com/medik8s/maintenance-apiserver/test/kubevirt/standin"
)

// Without the permission, the blocker is what KubeVirt's webhook says, and the machines migrate all the same.
// The server is another one, since it remembers for a while that it was refused.
func TestWithoutPermission(t *testing.T) {
	pool, kubevirt := start(t, 2)
	replaceServer(t, pool.Env, env.ServerOptions())
	pool.Kubectl().Must(t, "", "delete", "clusterrole,clusterrolebinding", localcluster.ServerName+":kubevirt")
	wantPermission(t, pool, false)
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, "vm-1")...)
	kubevirt.Hold()
	hold := pool.Create(t, pool.Hold("vms", pool.Nodes[0]))
	was := pool.WaitForHold(t, hold.Name, "the webhook's words", blocked(v1beta1.BlockerAdmissionWebhook,
		`Eviction triggered evacuation of VMI "`+pool.Name+`/vm-1"`))
	if b := was.Status.Blockers[0]; b.Object != "webhook/"+standin.WebhookName || b.Permanent {
		t.Errorf("blocker %+v", b)
	}
	kubevirt.Release()
	pool.WaitForHold(t, hold.Name, "the machine has left", env.Drained)
	wantMoved(t, kubevirt, 8, "vm-1") // after 0, 1, 3, 7, 15 s, and when the pod has completed
	wantFewReads(t, pool)
}

// wantFewReads wants the server to have asked for KubeVirt's kinds rarely, since it was refused.
func wantFewReads(t *testing.T, pool *env.Pool) {
	t.Helper()
	reads, err := pool.Cluster.AuditEvents("virtualmachineinstance", func(event *auditv1.Event) bool {
		return event.User.Username == "system:serviceaccount:"+localcluster.ServerNamespace+":"+localcluster.ServerName &&
			event.Stage == auditv1.StageResponseComplete && event.ResponseStatus != nil && event.ResponseStatus.Code == 403
	})
	if err != nil || len(reads) > 6 {
		t.Errorf("the server was refused %d times (%v), want each of the two kinds at most thrice", len(reads), err)
	}
}

// Machines that are set up the old way migrate because of the taint.
func TestDrainTaint(t *testing.T) {
	pool, kubevirt := start(t, 2)
	options := env.ServerOptions()
	options.ExtraArgs = []string{"--drain-taints=" + standin.DrainTaint + ":NoSchedule"}
	replaceServer(t, pool.Env, options)
	kubevirt.Run(t, named(pool.Nodes[0], standin.LiveMigrate, "vm-1", "vm-2", "vm-3")...)
	hold := pool.Hold("vms", pool.Nodes[0])
	hold.Spec.Stage = v1beta1.StageCordon
	pool.Create(t, hold)
	env.Eventually(t, "the taint alone has the machines migrated", func(context.Context) string {
		for _, machine := range []string{"vm-1", "vm-2", "vm-3"} {
			if !kubevirt.Moved(machine) {
				return machine + " has not"
			}
			if asked := kubevirt.Asked(machine); asked != 0 {
				t.Fatalf("machine %s was evicted %d times", machine, asked)
			}
		}
		return ""
	})
	kubevirt.Run(t, named(pool.Nodes[1], standin.LiveMigrate, "vm-4")...)
	pool.Delete(t, hold.Name)
	second := pool.Create(t, pool.Hold("second", pool.Nodes[1]))
	pool.WaitForHold(t, second.Name, "all machines have left", env.Drained)
	wantMoved(t, kubevirt, mostAsked, "vm-4")
}

// replaceServer runs another server in the place of the usual one until the test's end.
func replaceServer(t *testing.T, e *env.Env, options localcluster.ServerOptions) {
	t.Helper()
	if _, err := e.Server.Terminate(t.Context()); err != nil {
		t.Fatalf("could not stop the server: %v", err)
	}
	other, err := e.Cluster.StartServer(t.Context(), options)
	if err != nil {
		t.Fatalf("could not start another server: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		if _, err := other.Terminate(ctx); err != nil {
			t.Errorf("could not stop the other server: %v", err)
		}
		if err := e.Server.Start(ctx); err != nil {
			t.Errorf("could not start the server again: %v", err)
		}
	})
}
