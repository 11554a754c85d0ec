// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights compares the permissions that the chart gives the server with those that it used in all other tests.
// `make test-rights` runs it after them.
package rights

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// values turn on all that gives the server or its uninstall permissions. What profiles may read and change is what their
// tests have them read and change.
var values = []string{
	"image.repository=server", "image.tag=v1", "rbac.allowForce=true", "kubevirt.enabled=true", "uninstall.giveBack=true",
	"legacyGroups={nodemaintenance.medik8s.io,nodemaintenance.kubevirt.io,kubevirt.io,machinemaintenance.managed.openshift.io}",
	"nodeLeases.form=Medik8s", "sap.mirrors=true",
	"profiles.allowJobs=true", "profiles.jobNamespaces={jobs}", "profiles.secretNamespace=" + localcluster.SecretNamespace,
	"profiles.readObjects[0].apiGroups={coordination.k8s.io}", "profiles.readObjects[0].resources={leases}",
	"profiles.patchObjects[0].apiGroups={coordination.k8s.io}", "profiles.patchObjects[0].resources={leases}",
	"cloudEvents.machineAPI=true", "cloudEvents.machineNamespaces={machines}",
}

const (
	server, uninstall = "ClusterRole maintenance-apiserver", "ClusterRole maintenance-apiserver-uninstall"
	machines, store   = "ClusterRole maintenance-apiserver:machine-api", "ClusterRole maintenance-apiserver:store"

	// reasons of several permissions
	askedByServer = "our server asks the cluster whether the caller may do this: no request of the cluster's own needs it"
	likeKubeadm   = "it is read as kubeadmcontrolplanes are, by the name of its kind"
)

// unseen are the permissions that no test uses for sure, and why they are needed all the same.
var unseen = map[localcluster.Right]string{
	{Role: server, Verb: "patch", Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas/status"}:      "of all API servers, the one that sees a new FlowSchema first writes its condition",
	{Role: uninstall, Verb: "delete", Group: v1beta1.GroupName, Resource: "nodes/maintenance"}:                askedByServer,
	{Role: uninstall, Verb: "delete", Group: v1beta1.GroupName, Resource: "nodes/holds"}:                      askedByServer,
	{Role: store, Verb: "delete", Group: "store.maintenance.medik8s.io", Resource: "stores", Name: "copy-of"}: "migrate-store deletes it, which tests run in their own process",
	{Role: machines, Verb: "get", Group: "controlplane.cluster.x-k8s.io", Resource: "rke2controlplanes"}:      likeKubeadm,
	{Role: machines, Verb: "get", Group: "controlplane.cluster.x-k8s.io", Resource: "kthreescontrolplanes"}:   likeKubeadm,
	{Role: machines, Verb: "get", Group: "controlplane.cluster.x-k8s.io", Resource: "taloscontrolplanes"}:     likeKubeadm,
}

// Every permission of the chart's roles is used by some test, or goes.
func TestRights(t *testing.T) {
	dir := os.Getenv(localcluster.RightsVariable)
	if dir == "" {
		t.Skipf("%s names no directory: see make test-rights", localcluster.RightsVariable)
	}
	used, err := localcluster.UsedRights(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(used) == 0 {
		t.Fatalf("no permission was used, as the files in %s say: run the other tests first", dir)
	}
	for _, wrong := range compare(rightsOf(t, render(t)), used, unseen) {
		t.Error(wrong)
	}
}

// compare says which of the rights nobody has used, and which exceptions the chart does not give. Watches begin with a list
// of their own, but not on clusters before Kubernetes 1.34, so whoever watches may list.
func compare(given []localcluster.Right, used sets.Set[localcluster.Right], unseen map[localcluster.Right]string) (wrong []string) {
	used = used.Clone()
	for right := range used.Clone() {
		if right.Name != "" {
			anyName := right
			anyName.Name = ""
			used.Insert(anyName)
		}
	}
	for _, right := range given {
		watches := right
		watches.Verb = "watch"
		if _, excepted := unseen[right]; excepted || used.Has(right) || (right.Verb == "list" && used.Has(watches)) {
			continue
		}
		wrong = append(wrong, said(right)+": no test has used it: test what needs it, or remove it from the chart")
	}
	for right := range unseen {
		if !slices.Contains(given, right) {
			wrong = append(wrong, said(right)+": the chart does not give it, so it is no exception")
		}
	}
	slices.Sort(wrong)
	return wrong
}

func TestCompare(t *testing.T) {
	right := func(verb, name string) localcluster.Right {
		return localcluster.Right{Role: "Role a", Verb: verb, Group: "apps", Resource: "daemonsets", Name: name}
	}
	for name, test := range map[string]struct {
		given, used []localcluster.Right
		unseen      map[localcluster.Right]string
		want        []string
	}{
		"used":          {given: []localcluster.Right{right("get", "")}, used: []localcluster.Right{right("get", "x")}},
		"used by name":  {given: []localcluster.Right{right("get", "x")}, used: []localcluster.Right{right("get", "x")}},
		"more was used": {used: []localcluster.Right{right("get", "x")}},
		"used, another name": {given: []localcluster.Right{right("get", "x")}, used: []localcluster.Right{right("get", "y"), right("get", "")}, want: []string{
			"Role a: get daemonsets.apps x: no test has used it: test what needs it, or remove it from the chart",
		}},
		"used, another verb": {given: []localcluster.Right{right("get", "")}, used: []localcluster.Right{right("watch", "")}, want: []string{
			"Role a: get daemonsets.apps: no test has used it: test what needs it, or remove it from the chart",
		}},
		"watched":      {given: []localcluster.Right{right("list", ""), right("watch", "")}, used: []localcluster.Right{right("watch", "")}},
		"an exception": {given: []localcluster.Right{right("get", "")}, unseen: map[localcluster.Right]string{right("get", ""): "rare"}},
		"no exception": {
			unseen: map[localcluster.Right]string{right("get", ""): "rare"},
			want:   []string{"Role a: get daemonsets.apps: the chart does not give it, so it is no exception"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, compare(test.given, sets.New(test.used...), test.unseen)); diff != "" {
				t.Errorf("what is wrong (-want +got):\n%s", diff)
			}
		})
	}
}

func said(right localcluster.Right) string {
	text := fmt.Sprintf("%s: %s %s", right.Role, right.Verb, right.Resource)
	if right.Group != "" {
		text += "." + right.Group
	}
	return strings.TrimSpace(text + " " + right.Name)
}

// render has Helm render the chart.
func render(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	root, err := binaries.Root()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"template", localcluster.ServerName, filepath.Join(root, "chart"), "--namespace", localcluster.ServerNamespace}
	for _, value := range values {
		args = append(args, "--set", value)
	}
	rendered, err := exec.CommandContext(t.Context(), filepath.Join(root, "bin", binaries.Helm), args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("could not render the chart: %s", exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(rendered)), 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
}

// rightsOf are the permissions that the objects give the ServiceAccounts of the release, by roles among them.
func rightsOf(t *testing.T, objects []*unstructured.Unstructured) []localcluster.Right {
	t.Helper()
	bound := sets.New[string]()
	for _, object := range objects {
		if strings.HasSuffix(object.GetKind(), "RoleBinding") {
			binding := convert[rbacv1.RoleBinding](t, object)
			for _, subject := range binding.Subjects {
				if subject.Kind == rbacv1.ServiceAccountKind && subject.Namespace == localcluster.ServerNamespace {
					bound.Insert(binding.RoleRef.Kind + " " + binding.RoleRef.Name)
				}
			}
		}
	}
	given := sets.New[localcluster.Right]()
	for _, object := range objects {
		if name := object.GetKind() + " " + object.GetName(); bound.Has(name) {
			for _, rule := range convert[rbacv1.Role](t, object).Rules {
				given.Insert(single(name, rule)...)
			}
		}
	}
	return given.UnsortedList()
}

// convert reads a role or a binding. Those of the cluster have the same fields.
func convert[T any](t *testing.T, object *unstructured.Unstructured) *T {
	t.Helper()
	converted := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, converted); err != nil {
		t.Fatal(err)
	}
	return converted
}

// single are the permissions of the rule, one for each verb, resource and name.
func single(role string, rule rbacv1.PolicyRule) (rights []localcluster.Right) {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range orAny(rule.ResourceNames) {
					rights = append(rights, localcluster.Right{Role: role, Verb: verb, Group: group, Resource: resource, Name: name})
				}
			}
		}
	}
	return rights
}

func orAny(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}
