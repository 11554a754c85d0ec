// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// TestEndpoints shows that each kind of check, trigger and notifier that names an endpoint is found. Otherwise, authors would
// not need the right to use it.
func TestEndpoints(t *testing.T) {
	spec := &v1beta1.MaintenanceProfileSpec{}
	var want, got []string
	spec.Checks, want = naming[v1beta1.ProfileCheck]("checks", want)
	spec.Triggers, want = naming[v1beta1.ProfileTrigger]("triggers", want)
	spec.Notifiers, want = naming[v1beta1.ProfileNotifier]("notifiers", want)
	for _, reference := range Endpoints(spec) {
		got = append(got, reference.Path.String())
		if len(reference.Members) == 0 {
			t.Errorf("%s: no endpoint will do", reference.Path)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// naming returns one instance of each kind that names an endpoint, and the paths of their fields after those before.
func naming[T any](list string, before []string) (all []T, paths []string) {
	paths = before
	fields := reflect.TypeFor[T]()
	for i := range fields.NumField() {
		kind := fields.Field(i)
		if kind.Type.Kind() != reflect.Pointer || kind.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		if _, names := kind.Type.Elem().FieldByName("Endpoint"); !names {
			continue
		}
		var instance T
		reflect.ValueOf(&instance).Elem().Field(i).Set(reflect.New(kind.Type.Elem()))
		name, _, _ := strings.Cut(kind.Tag.Get("json"), ",")
		paths = append(paths, fmt.Sprintf("spec.%s[%d].%s.endpoint", list, len(all), name))
		all = append(all, instance)
	}
	return all, paths
}
