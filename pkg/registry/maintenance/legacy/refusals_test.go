// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A refusal because of quorum has the words of the group's operator, and keeps its cause.
func TestQuorumInOwnWords(t *testing.T) {
	ours := apierrors.NewForbidden(v1beta1.Resource("nodemaintenances"), "a", errors.New("2 of 3 members must stay"))
	ours.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: v1beta1.ReasonControlPlaneQuorum, Message: "2 of 3 members must stay"}}
	want := map[string]string{
		"nodemaintenance.medik8s.io":  "can not put master/control-plane node into maintenance at this moment, disrupting node cp-1 will violate etcd quorum",
		"nodemaintenance.kubevirt.io": "can not put master node into maintenance at this moment, it would violate the master quorum",
		"kubevirt.io":                 "can not put master node into maintenance at this moment, it would violate the master quorum",
	}
	for _, version := range legacyinstall.GroupVersions() {
		var got *apierrors.StatusError
		if !errors.As((&group{GroupVersion: version}).notCreated(t.Context(), "cp-1", ours), &got) {
			t.Fatalf("%s: got no status", version)
		}
		if got.ErrStatus.Message != want[version.Group] || got.ErrStatus.Details.Group != version.Group || !apierrors.IsForbidden(got) ||
			!apierrors.HasStatusCause(got, v1beta1.ReasonControlPlaneQuorum) {
			t.Errorf("%s: got %+v, want a 403 with the text %q", version, got.ErrStatus, want[version.Group])
		}
	}
	if ours.ErrStatus.Details.Group != v1beta1.GroupName {
		t.Error("the error itself was changed")
	}
}

func TestErrorsInOwnWords(t *testing.T) {
	pods := apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "a")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"none":             {},
		"of our resource":  {err: apierrors.NewNotFound(v1beta1.Resource("nodemaintenances"), "a"), want: `nodemaintenances.kubevirt.io "a" not found`},
		"of our kind":      {err: apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance").GroupKind(), "a", nil), want: `NodeMaintenance.kubevirt.io "a" is invalid`},
		"of another group": {err: pods, want: pods.Error()},
		"no status":        {err: errors.New("nodemaintenances.maintenance.medik8s.io "), want: "nodemaintenances.maintenance.medik8s.io "},
	} {
		t.Run(name, func(t *testing.T) {
			got := (&group{GroupVersion: schema.GroupVersion{Group: "kubevirt.io"}}).inOwnWords(test.err)
			if (got == nil) != (test.err == nil) || (got != nil && got.Error() != test.want) {
				t.Errorf("got %v, want %q", got, test.want)
			}
		})
	}
}
