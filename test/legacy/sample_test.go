// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/yaml"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The operators' samples are applied, looked at and deleted with the commands of their READMEs, and
// kubectl prints what it printed.
func TestSample(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node, kubectl := u.Nodes[0], u.Kubectl()
		name := u.name(node)
		manifest := u.manifest(name, node, "Test node maintenance")
		wantPrinted(t, kubectl.Try(t, manifest, "apply", "-f", "-"), u.object(name)+" created\n")
		wantPrinted(t, kubectl.Try(t, manifest, "apply", "-f", "-"), u.object(name)+" unchanged\n")
		wantPrinted(t, kubectl.Try(t, "", "wait", u.resource(), name, "--for=jsonpath={.status.phase}=Succeeded", "--timeout="+env.Timeout.String()),
			u.object(name)+" condition met\n")

		u.wantShown(t, name)
		u.wantCompleteYAML(t, name, node)

		wantPrinted(t, kubectl.Try(t, manifest, "delete", "-f", "-"), strings.Replace(u.object(name), "/", ` "`, 1)+"\" deleted\n")
		if u.Node(t, node).Spec.Unschedulable {
			t.Error("delete returned before the node was given back")
		}
	})
}

// wantPrinted checks that kubectl has printed just this, and no warning.
func wantPrinted(t *testing.T, got env.Output, want string) {
	t.Helper()
	if got.Code != 0 || got.Stdout != want || got.Stderr != "" {
		t.Errorf("kubectl printed %q and %q, exit code %d; want only %q", got.Stdout, got.Stderr, got.Code, want)
	}
}

// wantShown checks what get and describe print: the CRDs had no columns of their own.
func (u *user) wantShown(t *testing.T, name string) {
	t.Helper()
	lines := strings.Split(u.Kubectl().Must(t, "", "get", u.resource(), name), "\n")
	if got, want := strings.Fields(lines[0]), []string{"NAME", "AGE"}; !slices.Equal(got, want) {
		t.Errorf("got columns %q, want %q", got, want)
	}
	description := u.Kubectl().Must(t, "", "describe", u.resource(), name)
	for _, want := range []string{"API Version:  " + u.String() + "\n", "Phase:", "Succeeded", "Reason:", "Test node maintenance"} {
		if !strings.Contains(description, want) {
			t.Errorf("describe lacks %q:\n%s", want, description)
		}
	}
}

// wantCompleteYAML checks that -o yaml shows the old fields and nothing else.
func (u *user) wantCompleteYAML(t *testing.T, name, node string) {
	t.Helper()
	var got struct {
		APIVersion string         `json:"apiVersion"`
		Metadata   map[string]any `json:"metadata"`
		Spec       map[string]any `json:"spec"`
		Status     map[string]any `json:"status"`
	}
	text := u.Kubectl().Must(t, "", "get", u.resource(), name, "-o", "yaml")
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.APIVersion != u.String() || len(got.Spec) != 2 || got.Spec["nodeName"] != node || got.Spec["reason"] != "Test node maintenance" {
		t.Errorf("want only nodeName and reason in the spec of a %s:\n%s", u.GroupVersion, text)
	}
	if finalizers, _ := got.Metadata["finalizers"].([]any); len(finalizers) != 1 || finalizers[0] != "foregroundDeleteNodeMaintenance" {
		t.Errorf("want the operators' finalizer:\n%s", text)
	}
	if got.Metadata["ownerReferences"] != nil {
		t.Errorf("want no owner, as with the operators:\n%s", text)
	}
	known := []string{"phase", "lastError", "pendingPods", "totalpods", "evictionPods"}
	for field := range got.Status {
		if !slices.Contains(known, field) && !u.has(field) {
			t.Errorf("the status has the field %s, which old clients do not know:\n%s", field, text)
		}
	}
}

// A watch by kubectl shows a NodeMaintenance from its creation to its end.
func TestWatch(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		list, err := u.list(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		watcher, err := u.watch(t.Context(), list.ResourceVersion)
		if err != nil {
			t.Fatal(err)
		}
		defer watcher.Stop()
		name := u.apply(t, u.Nodes[0])
		u.waitFor(t, name, "node drained", succeeded)
		u.forget(t, name)
		seen := u.follow(t, watcher.ResultChan(), name)
		if first, last := seen[0], seen[len(seen)-1]; first != "ADDED Running" || last != "DELETED Succeeded" {
			t.Errorf("the watch has shown %q", seen)
		}
		if !slices.Contains(seen, "MODIFIED Succeeded") {
			t.Errorf("the watch has not shown that the node was drained: %q", seen)
		}
	})
}

// follow returns each event about a NodeMaintenance with its phase, until it is deleted.
func (u *user) follow(t *testing.T, events <-chan watch.Event, name string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	var seen []string
	for {
		select {
		case event, open := <-events:
			nm, ok := event.Object.(*nodeMaintenance)
			if !open || !ok {
				t.Fatalf("the watch ended with %+v after %q", event, seen)
			}
			if nm.Name != name {
				continue
			}
			seen = append(seen, string(event.Type)+" "+nm.Status.Phase)
			if event.Type == "DELETED" {
				return seen
			}
		case <-ctx.Done():
			t.Fatalf("the watch has only shown %q", seen)
		}
	}
}
