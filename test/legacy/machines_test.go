// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	machineGroup  = "machinemaintenance.managed.openshift.io"
	machinePlural = "machinemaintenances"
)

// announcement is the sample of the operator, about a machine that no node of the cluster is.
func announcement(name string) string {
	return fmt.Sprintf(`apiVersion: %s/v1alpha1
kind: MachineMaintenance
metadata:
  name: %s
spec:
  maintenancescheduled: false
  eventcode: instance-stop
  eventid: instance-event-01d0903276a5d038c
  machineid: i-03bb82b19841a4678
  machinelink: worker-ap-southeast-2a-l94w5
`, machineGroup, name)
}

// announcementsOf returns a new namespace for MachineMaintenances.
func announcementsOf(t *testing.T, e *env.Env) (namespace string) {
	t.Helper()
	namespace = strings.ToLower(t.Name())
	e.Kubectl().Must(t, "", "create", "namespace", namespace)
	t.Cleanup(func() {
		err := e.Kube.CoreV1().Namespaces().Delete(context.Background(), namespace, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not clean up: %v", err)
		}
	})
	return namespace
}

// A namespace that does not exist is named as such, as for every kind.
func TestMachineMaintenanceWithoutItsNamespace(t *testing.T) {
	t.Parallel()
	out := env.Current(t).Kubectl().Try(t, announcement("mm-worker"), "create", "-n", "nowhere", "-f", "-")
	if out.Code == 0 || !strings.Contains(out.Stderr, `namespaces "nowhere" not found`) {
		t.Errorf("exit code %d, %q, want that there is no such namespace", out.Code, out.Stderr)
	}
}

// People and scripts create, see, wait for and delete MachineMaintenances in a namespace.
func TestMachineMaintenances(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	kubectl, namespace := e.Kubectl(), announcementsOf(t, e)
	created := kubectl.Try(t, announcement("mm-worker"), "apply", "-n", namespace, "-f", "-")
	if created.Stdout != "machinemaintenance."+machineGroup+"/mm-worker created\n" {
		t.Errorf("kubectl apply printed %q and %q", created.Stdout, created.Stderr)
	}
	if !strings.Contains(created.Stderr, `no node has the instance id "i-03bb82b19841a4678"`) {
		t.Errorf("nothing warns of a machine that is no node's: %s", created.Stderr)
	}
	wantPrinted(t, kubectl.Try(t, announcement("mm-worker"), "apply", "-n", namespace, "-f", "-"), "machinemaintenance."+machineGroup+"/mm-worker unchanged\n")

	table := strings.Fields(kubectl.Must(t, "", "get", machinePlural, "-n", namespace))
	if len(table) != 4 || strings.Join(table[:3], " ") != "NAME AGE mm-worker" {
		t.Errorf("got the table %q, want NAME and AGE", table)
	}
	if everywhere := kubectl.Must(t, "", "get", machinePlural, "-A"); !strings.Contains(everywhere, namespace+" ") {
		t.Errorf("it is not in the list of all namespaces: %s", everywhere)
	}
	kubectl.Must(t, "", "get", "scheduledevents", "mm."+namespace+".mm-worker")

	waiting := kubectl.Command(t.Context(), "wait", machinePlural, "mm-worker", "-n", namespace, "--for=jsonpath={.spec.maintenancescheduled}=true", "--timeout="+env.Timeout.String())
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	kubectl.Must(t, "", "patch", machinePlural, "mm-worker", "-n", namespace, "--type=merge", "-p", `{"spec":{"maintenancescheduled":true}}`)
	if err := waiting.Wait(); err != nil {
		t.Errorf("kubectl wait has not seen that it is done: %v", err)
	}
	kubectl.Must(t, "", "delete", machinePlural, "mm-worker", "-n", namespace, "--timeout="+env.Timeout.String())
	if got := kubectl.Try(t, "", "get", machinePlural, "mm-worker", "-n", namespace); !strings.Contains(got.Stderr, "NotFound") {
		t.Errorf("it is still there: %s%s", got.Stdout, got.Stderr)
	}
}

// kubectl delete waits for a finalizer, in a watch, and ends when it is gone.
func TestMachineMaintenanceDeleteWaits(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	kubectl, namespace := e.Kubectl(), announcementsOf(t, e)
	held := strings.Replace(announcement("mm-held"), "metadata:\n", "metadata:\n  finalizers: [example.com/wait]\n", 1)
	kubectl.Must(t, held, "create", "-n", namespace, "-f", "-")
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	deleting := kubectl.Command(ctx, "delete", machinePlural, "mm-held", "-n", namespace)
	if err := deleting.Start(); err != nil {
		t.Fatal(err)
	}
	kubectl.Must(t, "", "wait", machinePlural, "mm-held", "-n", namespace, "--for=jsonpath={.metadata.deletionTimestamp}", "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "patch", machinePlural, "mm-held", "-n", namespace, "--type=json", "-p", `[{"op":"remove","path":"/metadata/finalizers/0"}]`)
	if err := deleting.Wait(); err != nil {
		t.Errorf("kubectl delete has not ended well: %v", err)
	}
}

// The cluster deletes a namespace with all that is in it.
func TestMachineMaintenanceNamespaceEnds(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	kubectl, namespace := e.Kubectl(), announcementsOf(t, e)
	kubectl.Must(t, announcement("mm-a"), "create", "-n", namespace, "-f", "-")
	kubectl.Must(t, announcement("mm-b"), "create", "-n", namespace, "-f", "-")
	kubectl.Must(t, "", "delete", "namespace", namespace, "--timeout="+env.Timeout.String())
	if got := kubectl.Must(t, "", "get", "scheduledevents", "-o", "name"); strings.Contains(got, "mm."+namespace+".") {
		t.Errorf("events of the namespace are left: %s", got)
	}
}

// A role for the kind alone gives no nodes. The one that comes with the group does.
func TestMachineMaintenanceRoles(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	admin, namespace := e.Kubectl(), announcementsOf(t, e)
	admin.Must(t, announcement("mm-others"), "create", "-n", namespace, "-f", "-")
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "machine-maintenance-operator"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{machineGroup}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	}
	if _, err := e.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bind(t, e, "machines-old", role.Name, machineGroup, machinePlural)
	old := e.KubectlAs(t, "machines-old")
	old.Must(t, "", "get", machinePlural, "-n", namespace)
	const lacks = `User "machines-old" cannot schedule resource "nodes/maintenance" in API group "maintenance.medik8s.io"`
	for _, args := range [][]string{
		{"create", "-n", namespace, "-f", "-"},
		{"patch", machinePlural, "mm-others", "-n", namespace, "--type=merge", "-p", `{"spec":{"maintenancescheduled":true}}`},
		{"delete", machinePlural, "mm-others", "-n", namespace},
	} {
		if got := old.Try(t, announcement("mm-mine"), args...); got.Code != 1 || !strings.Contains(got.Stderr, lacks) {
			t.Errorf("%v: exit code %d, %q; want %q", args, got.Code, got.Stderr, lacks)
		}
	}
	bind(t, e, "machines-editor", "maintenance.medik8s.io:legacy-machinemaintenance-editor", machineGroup, machinePlural)
	editor := e.KubectlAs(t, "machines-editor")
	editor.Must(t, announcement("mm-mine"), "apply", "-n", namespace, "-f", "-")
	editor.Must(t, "", "get", "scheduledevents", "mm."+namespace+".mm-mine")
	editor.Must(t, "", "delete", machinePlural, "--all", "-n", namespace, "--timeout="+env.Timeout.String())
}
