// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name, node := pool.Name+"-a", absentNode(pool)
	out := pool.Kubectl().Try(t, manifest(name, `{"nodeName":"`+node+`"}`), "create", "-f", "-")
	if want := "nodemaintenance.maintenance.medik8s.io/" + name + " created\n"; out.Code != 0 || out.Stdout != want {
		t.Errorf("got exit code %d, %q, want %q", out.Code, out.Stdout, want)
	}
	if want := `Warning: node "` + node + `" does not exist: the maintenance stays Pending until it appears` + "\n"; out.Stderr != want {
		t.Errorf("got on stderr %q, want %q", out.Stderr, want)
	}
	created := settled(t, pool, name)
	want := v1beta1.NodeMaintenanceSpec{
		NodeName: node, Requestor: "admin", Stage: v1beta1.StageDrain,
		Drain: v1beta1.DrainSpec{OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict},
	}
	if diff := cmp.Diff(want, created.Spec); diff != "" {
		t.Errorf("spec differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{v1beta1.UncordonFinalizer}, created.Finalizers); diff != "" {
		t.Errorf("finalizers differ (-want +got):\n%s", diff)
	}
	if created.Generation != 1 || created.Status.Phase != v1beta1.PhasePending {
		t.Errorf("got generation %d and phase %s, want 1 and Pending", created.Generation, created.Status.Phase)
	}
}

func TestCreateWithGeneratedName(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	body := manifestWith(`{"generateName":"`+pool.Name+`-"}`, `{"nodeName":"`+absentNode(pool)+`"}`)
	var names []string
	for range 2 {
		names = append(names, strings.TrimSpace(pool.Kubectl().Must(t, body, "create", "-f", "-", "-o", "name")))
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "nodemaintenance.maintenance.medik8s.io/"+pool.Name+"-") || names[0] == names[1] {
			t.Errorf("got names %q, want two of the given prefix", names)
		}
	}
}

func TestCreateOnHeldNodeWarns(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	first := createQuiet(t, pool, "first")
	out := pool.Kubectl().Try(t, manifest(pool.Name+"-second", `{"nodeName":"`+absentNode(pool)+`"}`), "create", "-f", "-")
	wantContains(t, "stderr", out.Stderr,
		`is in maintenance already: held by "`+first.Name+`" of "admin" since `+first.CreationTimestamp.UTC().Format(time.RFC3339))
}

func TestDuplicateNameIsRefused(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "a")
	out := pool.Kubectl().Try(t, manifest(hold.Name, `{"nodeName":"another"}`), "create", "-f", "-")
	if out.Code == 0 {
		t.Error("a second hold of the same name was created")
	}
	wantContains(t, "stderr", out.Stderr, "(AlreadyExists)", `"`+hold.Name+`" already exists`)
	if got := get(t, pool, hold.Name); got.ResourceVersion != hold.ResourceVersion {
		t.Error("the refused create changed the hold")
	}
}

// What is allowed and may not be meant is told, when it is said and not again.
func TestWarnings(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	kubectl, name := pool.Kubectl(), pool.Name+"-a"
	drain := `{"podSelector":{},"gracePeriodSeconds":60,"timeoutSeconds":30}`
	const everyPod = "Warning: spec.drain.podSelector: an empty selector selects all pods\n"
	const tooShort = "Warning: spec.drain.timeoutSeconds: 30 is less than gracePeriodSeconds (60): pods may still be stopping at the deadline\n"
	out := kubectl.Try(t, manifest(name, `{"nodeName":"`+absentNode(pool)+`","drain":`+drain+`}`), "create", "-f", "-")
	wantContains(t, "create", out.Stderr, everyPod, tooShort)
	out = kubectl.Try(t, "", "patch", "nm", name, "--type=merge", "-p", `{"spec":{"reason":"x"}}`)
	if out.Code != 0 || out.Stderr != "" {
		t.Errorf("another change: got %+v, want no warning", out)
	}
	out = kubectl.Try(t, "", "patch", "nm", name, "--type=merge", "-p", `{"spec":{"drain":{"podSelector":null}}}`)
	if out.Stderr != tooShort {
		t.Errorf("a change of the drain: got %+v, want %q", out, tooShort)
	}
}

func TestLongestNames(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	name := pool.Name + "-" + strings.Repeat("a", 252-len(pool.Name))
	pool.Kubectl().Must(t, manifest(name, `{"nodeName":"`+pool.Nodes[0]+`","reason":"`+strings.Repeat("é", 1024)+`"}`), "create", "-f", "-")
	pool.Kubectl().Must(t, "", "wait", "--for=condition=Drained", "nm/"+name, "--timeout="+env.Timeout.String())
	wantEvents(t, "kubectl describe", pool.Kubectl(), []string{"describe", "nm", name}, "MaintenanceStarted", "DrainSucceeded")
	pool.Kubectl().Must(t, "", "delete", "nm", name)

	other := pool.Hold("b", pool.Name+"-"+strings.Repeat("b", 252-len(pool.Name)))
	if got := settled(t, pool, pool.Create(t, other).Name); got.Status.Phase != v1beta1.PhasePending {
		t.Errorf("got phase %s for the longest node name", got.Status.Phase)
	}
}

// A dry run answers as the request would, stores nothing and leaves the node
// alone.
func TestDryRun(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, kubectl := pool.Nodes[0], pool.Kubectl()
	created := manifest(pool.Name+"-new", `{"nodeName":"`+node+`"}`)
	for _, args := range [][]string{{"create", "-f", "-"}, {"apply", "-f", "-"}, {"apply", "--server-side", "-f", "-"}} {
		wantContains(t, strings.Join(args, " "), kubectl.Must(t, created, append(args, "--dry-run=server")...), "(server dry run)")
	}
	wantContains(t, "dry run create", kubectl.Must(t, created, "create", "--dry-run=server", "-o", "yaml", "-f", "-"),
		"requestor: admin", "stage: Drain", "phase: Pending")
	if out := kubectl.Try(t, manifest(pool.Name+"-bad", `{"nodeName":"?"}`), "create", "--dry-run=server", "-f", "-"); out.Code == 0 {
		t.Error("a dry run accepted what a create refuses")
	}
	_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), pool.Name+"-new", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the dry run's object: got %v, want not found", err)
	}

	idle := pool.Hold("idle", node)
	idle.Spec.Stage = v1beta1.StageIdle
	idle = settled(t, pool, pool.Create(t, idle).Name)
	kubectl.Must(t, "", "patch", "nm", idle.Name, "--type=merge", "-p", `{"spec":{"stage":"Drain"}}`, "--dry-run=server")
	kubectl.Must(t, "", "label", "nm", idle.Name, "a=b", "--dry-run=server")
	kubectl.Must(t, "", "delete", "nm", idle.Name, "--dry-run=server")
	env.Always(t, time.Second, "dry runs change nothing", func(context.Context) string {
		if got := get(t, pool, idle.Name); got.ResourceVersion != idle.ResourceVersion {
			return "the hold has changed"
		}
		if got := pool.Node(t, node); got.Spec.Unschedulable || got.Annotations[v1beta1.HoldsAnnotation] != "" {
			return "the node was cordoned"
		}
		return ""
	})
}
