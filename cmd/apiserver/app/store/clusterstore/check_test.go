// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// What is missing is said in one line, with what to do.
func TestCheckCluster(t *testing.T) {
	all := []string{
		StoreKind.Resource, "storednodemaintenances", "storedmaintenancepolicies", "storedmaintenanceendpoints", "storedmaintenanceprofiles",
		"storednodeprofiles", "storedmaintenanceledgers", "storedscheduledevents",
	}
	for name, test := range map[string]struct {
		version string
		served  []string
		refused string // verb
		want    string
	}{
		"all is there":    {version: "v1.32.0", served: all},
		"a distribution":  {version: "v1.33.4-eks-1", served: all},
		"too old":         {version: "v1.31.9", served: all, want: "needs 1.32 or later: use an etcd"},
		"no CRDs":         {version: "v1.36.1", want: "set the chart's value store.type=cluster"},
		"a CRD":           {version: "v1.36.1", served: all[:1], want: "has no CRD storedmaintenanceendpoints.store.maintenance.medik8s.io: set the chart's value store.type=cluster"},
		"of an older one": {version: "v1.36.1", served: all[:3], want: "storedmaintenanceendpoints.store.maintenance.medik8s.io: set the chart's value store.type=cluster, with the chart of this version"},
		"no permission":   {version: "v1.36.1", served: all, refused: "update", want: "may not update storedmaintenanceendpoints.store"},
		"no way to begin": {version: "v1.36.1", served: all, refused: "create", want: "may not create"},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
				review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview)
				review.Status.Allowed = review.Spec.ResourceAttributes.Verb != test.refused
				return true, review, nil
			})
			cluster := client.Discovery().(*fakediscovery.FakeDiscovery)
			cluster.FakedServerVersion = &version.Info{GitVersion: test.version}
			cluster.Resources = []*metav1.APIResourceList{{GroupVersion: GroupVersion.String()}}
			for _, resource := range test.served {
				cluster.Resources[0].APIResources = append(cluster.Resources[0].APIResources, metav1.APIResource{Name: resource})
			}
			err := CheckCluster(t.Context(), cluster, client.AuthorizationV1().SelfSubjectAccessReviews())
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("CheckCluster = %v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is more than a line: %v", err)
			}
		})
	}
}
