// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatorfake "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

func hold(name, node string) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{"of/someone"}},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Requestor: "ann"},
	}
}

func node(name string, marked bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if marked {
		n.Labels = map[string]string{v1beta1.ExcludeFromRemediationLabel: "true"}
		n.Annotations = map[string]string{v1beta1.HoldsAnnotation: "{}"}
	}
	return n
}

func apiService(name, service string, labels map[string]string) *apiregistrationv1.APIService {
	return &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       apiregistrationv1.APIServiceSpec{Service: &apiregistrationv1.ServiceReference{Namespace: "home", Name: service}},
	}
}

var (
	managed = apiService("v1.ours", "server", map[string]string{"app.kubernetes.io/managed-by": "Helm"})
	down    = apierrors.NewServiceUnavailable("no endpoints")
)

func TestRun(t *testing.T) {
	var many []runtime.Object
	for i := range 22 {
		many = append(many, hold(fmt.Sprintf("h-%02d", i), fmt.Sprintf("node-%02d", i)))
	}
	tests := map[string]struct {
		holds       []runtime.Object
		nodes       []runtime.Object
		apiServices []runtime.Object
		giveBack    bool
		// keep has a delete do nothing, as if a node could not be given back.
		keep     bool
		listErr  error
		want     string // of the output
		wantErr  []string
		wantLeft int
	}{
		"nothing in maintenance": {nodes: []runtime.Object{node("a", false)}, want: "No node is in maintenance."},
		"a hold": {
			holds: []runtime.Object{hold("disk", "worker-1")}, wantLeft: 1,
			wantErr: []string{"in maintenance, or are to be (1): ", "- worker-1 (NodeMaintenance disk of ann)", "kubectl delete nodemaintenances.maintenance.medik8s.io --all\n", "helm rollback ours --namespace home\n"},
		},
		"many holds": {holds: many, wantLeft: 22, wantErr: []string{"(22)", "- node-19 (", "- and 2 more"}},
		"a hold is given back": {
			holds: []runtime.Object{hold("disk", "worker-1")}, giveBack: true, want: "Giving back: worker-1\nNo node is in maintenance.",
		},
		"a hold is stuck": {
			holds: []runtime.Object{hold("disk", "worker-1")}, giveBack: true, keep: true, wantLeft: 1,
			wantErr: []string{"after 20ms, these nodes are not given back", "- worker-1 (NodeMaintenance disk: ", "finalizers of/someone"},
		},
		"a node that another server left behind": {
			nodes: []runtime.Object{node("a", true)}, wantErr: []string{"another store", "out of service: a\n", "by hand"},
		},
		"server is down, nothing in maintenance": {
			listErr: down, nodes: []runtime.Object{node("a", false)}, want: "No node is in maintenance, so it can be uninstalled.",
		},
		"server is down": {
			listErr: down, nodes: []runtime.Object{node("b", true), node("a", true)}, giveBack: true,
			wantErr: []string{"does not answer (no endpoints)", "in maintenance: a, b\n", "Get it to run first"},
		},
		"may not list": {
			listErr: apierrors.NewForbidden(v1beta1.Resource("nodemaintenances"), "", nil), wantErr: []string{"could not list NodeMaintenances", "forbidden"},
		},
		"a group that Helm does not know": {
			apiServices: []runtime.Object{apiService("v1.old", "server", nil), apiService("v1.theirs", "other", nil)},
			wantErr:     []string{"Helm does not manage them: v1.old\n", "kubectl delete apiservice v1.old"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // in which the limits pass only while it waits
				maintenance := fake.NewClientset(test.holds...)
				if test.listErr != nil {
					maintenance.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.listErr })
				}
				if test.keep {
					maintenance.PrependReactor("delete", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
				}
				var out bytes.Buffer
				c := &checker{
					nodes: kubefake.NewClientset(test.nodes...).CoreV1().Nodes(), holds: maintenance.MaintenanceV1beta1().NodeMaintenances(),
					apiServices: aggregatorfake.NewSimpleClientset(append(test.apiServices, managed)...).ApiregistrationV1().APIServices(),
					service:     types.NamespacedName{Namespace: "home", Name: "server"}, release: "ours", giveBack: test.giveBack,
					timeout: 20 * time.Millisecond, answerTimeout: 20 * time.Millisecond, interval: time.Millisecond, out: &out,
				}
				wantError(t, c.run(t.Context()), test.wantErr)
				if !strings.Contains(out.String(), test.want) {
					t.Errorf("got the output %q, want %q", out.String(), test.want)
				}
				if test.listErr != nil {
					return
				}
				left, err := c.holds.List(t.Context(), metav1.ListOptions{})
				if err != nil || len(left.Items) != test.wantLeft {
					t.Errorf("%d holds are left (%v), want %d", len(left.Items), err, test.wantLeft)
				}
			})
		})
	}
}

func wantError(t *testing.T, err error, want []string) {
	t.Helper()
	if (err != nil) != (len(want) > 0) {
		t.Errorf("got the error %v, want one: %t", err, len(want) > 0)
	}
	for _, part := range want {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("got the error %q, want %q in it", err, part)
		}
	}
}
