// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// definition is what a CRD must have for its kind.
type definition struct {
	Metadata struct{ Name string }
	Spec     struct {
		Group, Scope string
		Names        struct{ Plural, Kind string }
		Versions     []definedVersion
	}
}

type definedVersion struct {
	Name             string
	Served, Storage  bool
	SelectableFields []selectableField
}

type selectableField struct{ JSONPath string }

// The manifests have a CRD for each kind, which can be selected by the fields that its envelopes repeat.
func TestCRDs(t *testing.T) {
	want := map[string]definition{}
	for _, kind := range append([]Kind{StoreKind}, allKinds()...) {
		want[kind.Resource] = definitionOf(kind)
	}
	if diff := cmp.Diff(want, readCRDs(t)); diff != "" {
		t.Errorf("the CRDs are not those of the kinds (-want +got):\n%s", diff)
	}
}

func allKinds() []Kind {
	var all []Kind
	for _, kind := range kinds {
		all = append(all, kind)
	}
	return all
}

func definitionOf(kind Kind) definition {
	var d definition
	d.Metadata.Name = kind.Resource + "." + GroupVersion.Group
	d.Spec.Group, d.Spec.Scope = GroupVersion.Group, "Cluster"
	d.Spec.Names.Plural, d.Spec.Names.Kind = kind.Resource, kind.Name
	version := definedVersion{Name: GroupVersion.Version, Served: true, Storage: true}
	for _, name := range kind.Fields {
		version.SelectableFields = append(version.SelectableFields, selectableField{JSONPath: ".fields." + name})
	}
	d.Spec.Versions = []definedVersion{version}
	return d
}

func readCRDs(t *testing.T) map[string]definition {
	t.Helper()
	manifest, err := os.ReadFile("../../../../../chart/files/store-crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	crds := map[string]definition{}
	for {
		var crd definition
		err := decoder.Decode(&crd)
		if errors.Is(err, io.EOF) {
			return crds
		}
		if err != nil {
			t.Fatal(err)
		}
		crds[crd.Spec.Names.Plural] = crd
	}
}
