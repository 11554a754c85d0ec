// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	genericfuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/kubevirtv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/kubevirtv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
	maintenancefuzzer "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/fuzzer"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const fuzzRuns = 500

// filler fills objects with random values. Those of old versions have only what these say of a hold.
func filler(seed int64) *randfill.Filler {
	old := func(serializer.CodecFactory) []any {
		return []any{
			func(spec *medik8sv1beta1.NodeMaintenanceStatus, c randfill.Continue) {
				c.FillNoCustom(spec)
				spec.Phase = oneOf(c, legacy.PhaseRunning, legacy.PhaseFailed)
				spec.DrainProgress = c.Int31n(100)
				spec.PendingPods = nil
				for i := range spec.PendingPodsRefs {
					spec.PendingPodsRefs[i] = medik8sv1beta1.PodReference{Namespace: fmt.Sprintf("ns-%d", i), Name: fmt.Sprintf("pod-%d", i)}
					spec.PendingPods = append(spec.PendingPods, spec.PendingPodsRefs[i].Name)
				}
			},
			func(status *kubevirtv1beta1.NodeMaintenanceStatus, c randfill.Continue) {
				c.FillNoCustom(status)
				status.Phase = oneOf(c, legacy.PhaseRunning, legacy.PhaseFailed)
				status.PendingPods = podNames(len(status.PendingPods))
			},
			func(status *kubevirtv1alpha1.NodeMaintenanceStatus, c randfill.Continue) {
				c.FillNoCustom(status)
				status.Phase = legacy.PhaseRunning
				status.PendingPods = podNames(len(status.PendingPods))
			},
		}
	}
	funcs := fuzzer.MergeFuzzerFuncs(genericfuzzer.Funcs, maintenancefuzzer.Funcs, old)
	return fuzzer.FuzzerFor(funcs, rand.NewSource(seed), scheme.Codecs.CodecFactory)
}

func podNames(count int) []string {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("pod-%d", i))
	}
	return names
}

func oneOf(c randfill.Continue, values ...string) string { return values[c.Intn(len(values))] }

func convert(t *testing.T, obj runtime.Object, version schema.GroupVersion) runtime.Object {
	t.Helper()
	before := obj.DeepCopyObject()
	converted, err := scheme.Scheme.ConvertToVersion(obj, version)
	if err != nil {
		t.Fatalf("could not convert %T to %s: %v", obj, version, err)
	}
	if diff := cmp.Diff(before, obj, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the conversion to %s changes what it converts (-before +after):\n%s", version, diff)
	}
	return converted
}

func hubOf(version schema.GroupVersion) schema.GroupVersion {
	return schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
}

// Whatever an old version can say comes back from the store as it was said.
func TestOldVersionsComeBack(t *testing.T) {
	for _, version := range install.GroupVersions() {
		t.Run(version.String(), func(t *testing.T) {
			fill := filler(1)
			for range fuzzRuns {
				for _, kind := range []string{"NodeMaintenance", "NodeMaintenanceList"} {
					want, err := scheme.Scheme.New(version.WithKind(kind))
					if err != nil {
						t.Fatal(err)
					}
					fill.Fill(want)
					want.GetObjectKind().SetGroupVersionKind(version.WithKind(kind))
					got := convert(t, convert(t, want, hubOf(version)), version)
					if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), ignoreKinds); diff != "" {
						t.Fatalf("%s differs (-want +got):\n%s", kind, diff)
					}
				}
			}
		})
	}
}

var ignoreKinds = cmp.FilterPath(func(path cmp.Path) bool { return path.Last().String() == ".TypeMeta" }, cmp.Ignore())

// A client of an old version that reads a hold and writes it back changes nothing.
func TestNothingIsLost(t *testing.T) {
	for _, version := range install.GroupVersions() {
		t.Run(version.String(), func(t *testing.T) {
			fill := filler(2)
			for range fuzzRuns {
				want := &v1beta1.NodeMaintenance{}
				fill.Fill(want)
				want.TypeMeta = v1beta1.NodeMaintenance{}.TypeMeta
				written := convert(t, convert(t, want, version), hubOf(version)).(*v1beta1.NodeMaintenance)
				legacy.Keep(written, want, written.DeepCopy())
				if diff := cmp.Diff(want, written, cmpopts.EquateEmpty(), ignoreKinds); diff != "" {
					t.Fatalf("the hold differs (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// The first group of a type is the one that it is stored in, and that errors name.
func TestOwnGroupComesFirst(t *testing.T) {
	for _, obj := range []runtime.Object{&v1beta1.NodeMaintenance{}, &v1beta1.NodeMaintenanceList{}} {
		kinds, _, err := scheme.Scheme.ObjectKinds(obj)
		if err != nil {
			t.Fatal(err)
		}
		if kinds[0].GroupVersion() != v1beta1.SchemeGroupVersion || len(kinds) != 2+len(install.GroupVersions()) {
			t.Errorf("%T has the kinds %v, want the served one of ours first, its internal one, and one of each old group", obj, kinds)
		}
	}
}

// A create in an old version has the defaults of a create in ours.
func TestDefaults(t *testing.T) {
	own := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: "worker-1", Reason: "disk"}}
	scheme.Scheme.Default(own)
	for _, version := range install.GroupVersions() {
		obj, err := scheme.Scheme.New(version.WithKind("NodeMaintenance"))
		if err != nil {
			t.Fatal(err)
		}
		spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
		spec.FieldByName("NodeName").SetString("worker-1")
		spec.FieldByName("Reason").SetString("disk")
		got := convert(t, obj, hubOf(version)).(*v1beta1.NodeMaintenance).Spec
		if diff := cmp.Diff(own.Spec, got); diff != "" {
			t.Errorf("%s: the spec differs (-want +got):\n%s", version, diff)
		}
	}
}

// Each group has one version, and the names are those of the operators' CRDs.
func TestGroups(t *testing.T) {
	var got []string
	for _, version := range install.GroupVersions() {
		got = append(got, version.String())
	}
	want := []string{"nodemaintenance.medik8s.io/v1beta1", "nodemaintenance.kubevirt.io/v1beta1", "kubevirt.io/v1alpha1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
