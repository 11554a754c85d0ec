// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"reflect"
	"testing"

	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Each field of a trigger that names a kind has somebody who does it.
func TestEveryKindOfTriggerIsDone(t *testing.T) {
	config := CompletedConfig{&completedConfig{drainer: drainer.Config{
		Kube: kubefake.NewClientset(), Dynamic: &dynamicfake.FakeDynamicClient{},
	}}}
	kinds := config.newProfileActions(fake.NewClientset(), nil)
	named := 0
	fields := reflect.TypeFor[v1beta1.ProfileTrigger]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Type.Kind() != reflect.Pointer || field.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		named++
		trigger := v1beta1.ProfileTrigger{}
		reflect.ValueOf(&trigger).Elem().Field(i).Set(reflect.New(field.Type.Elem()))
		if kind := action.KindOf(&trigger); kind == "" || kinds[kind] == nil {
			t.Errorf("nobody does %s", field.Name)
		}
	}
	if len(kinds) != named {
		t.Errorf("%d kinds are done, and %d can be named", len(kinds), named)
	}
}
