// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
)

// A server that serves fewer groups than the one before leaves no APIService behind for the others,
// and removes none of other servers.
func TestRemoveOtherAPIServices(t *testing.T) {
	ours := &apiregistrationv1.ServiceReference{Namespace: ServerNamespace, Name: ServerName}
	services := fake.NewSimpleClientset(
		&apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: "now"}, Spec: apiregistrationv1.APIServiceSpec{Service: ours}},
		&apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: "before"}, Spec: apiregistrationv1.APIServiceSpec{Service: ours}},
		&apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: "of-a-crd"}},
		&apiregistrationv1.APIService{
			ObjectMeta: metav1.ObjectMeta{Name: "metrics"},
			Spec: apiregistrationv1.APIServiceSpec{
				Service: &apiregistrationv1.ServiceReference{Namespace: ServerNamespace, Name: "metrics"},
			},
		},
	).ApiregistrationV1().APIServices()
	c := &Cluster{apiServices: services}
	now := &unstructured.Unstructured{Object: map[string]any{"kind": "APIService", "metadata": map[string]any{"name": "now"}}}
	if err := c.removeOtherAPIServices(t.Context(), []*unstructured.Unstructured{now}); err != nil {
		t.Fatal(err)
	}
	list, err := services.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list.Items {
		got = append(got, list.Items[i].Name)
	}
	slices.Sort(got)
	if want := []string{"metrics", "now", "of-a-crd"}; !slices.Equal(got, want) {
		t.Errorf("got APIServices %q, want %q", got, want)
	}
}

func TestCheckAvailable(t *testing.T) {
	for name, tc := range map[string]struct {
		conditions []apiregistrationv1.APIServiceCondition
		wantErr    bool
	}{
		"available":     {conditions: []apiregistrationv1.APIServiceCondition{{Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionTrue}}},
		"not available": {conditions: []apiregistrationv1.APIServiceCondition{{Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionFalse}}, wantErr: true},
		"new":           {wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkAvailable(&apiregistrationv1.APIService{Status: apiregistrationv1.APIServiceStatus{Conditions: tc.conditions}})
			if (err != nil) != tc.wantErr {
				t.Errorf("got error %v, want one: %t", err, tc.wantErr)
			}
		})
	}
}
