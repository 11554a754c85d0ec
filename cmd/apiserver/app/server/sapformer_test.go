// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"errors"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/mirror"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

func TestSAPFormer(t *testing.T) {
	text := sapdata.Data{Profiles: map[string]*sapdata.ProfileData{
		"flatcar": {Transition: time.Unix(1700000000, 0).UTC(), Current: "in-maintenance", Previous: "in-maintenance"},
	}}.String()
	comes := strings.ReplaceAll(text, "in-maintenance", "operational")
	now := metav1.NewMicroTime(time.Now())
	lease := func(namespace string) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "boot-0"},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: ptr.To("w-1"), AcquireTime: &now, RenewTime: &now, LeaseDurationSeconds: ptr.To[int32](60),
			},
		}
	}
	kube := kubefake.NewClientset(lease("sap"), lease("other"))
	kube.PrependReactor("list", "leases", func(action kubetesting.Action) (bool, runtime.Object, error) {
		forbidden := apierrors.NewForbidden(coordinationv1.Resource("leases"), "", errors.New("no right"))
		return action.GetNamespace() == "closed", nil, forbidden
	})
	former := sapFormer{kube: kube}
	for name, test := range map[string]struct {
		annotations    map[string]string
		profile, pool  string
		want           v1beta1.ProfileState
		wantHas        bool
		wantUnreadable bool
	}{
		"left":                    {map[string]string{sapdata.Annotation: text}, "flatcar", "sap/boot", v1beta1.ProfileInMaintenance, true, false},
		"another profile":         {map[string]string{sapdata.Annotation: text}, "other", "sap/boot", "", false, false},
		"nothing":                 {nil, "flatcar", "sap/boot", "", false, false},
		"written by us":           {map[string]string{sapdata.Annotation: text, mirror.MarkAnnotation: "x"}, "flatcar", "sap/boot", "", false, false},
		"not there yet":           {map[string]string{sapdata.Annotation: comes, mirror.MarkAnnotation: "x"}, "flatcar", "sap/boot", v1beta1.ProfileOperational, false, false},
		"unreadable":              {map[string]string{sapdata.Annotation: "{"}, "flatcar", "sap/boot", "", true, true},
		"Leases elsewhere":        {map[string]string{sapdata.Annotation: text}, "flatcar", "other/boot", v1beta1.ProfileInMaintenance, true, false},
		"no right to read Leases": {map[string]string{sapdata.Annotation: text}, "flatcar", "closed/boot", "", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1", Annotations: test.annotations}}
			profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: test.profile}}
			profile.Spec.Checks = []v1beta1.ProfileCheck{{Name: "s", Stagger: &v1beta1.StaggerCheck{Pool: test.pool, Seconds: 60}}}
			got, found, err := former.Adopt(t.Context(), node, profile)
			var unreadable *engine.UnreadableError
			if got.State != test.want || found != (test.want != "") || errors.As(err, &unreadable) != test.wantUnreadable {
				t.Errorf("%+v, found %t, error %v, want %q", got, found, err, test.want)
			}
			if found && !got.SinceOnly && len(got.Pools) != 1 {
				t.Errorf("pools %+v, want the place of the Lease", got.Pools)
			}
			if has := former.Has(node, profile); has != test.wantHas {
				t.Errorf("has %t, want %t", has, test.wantHas)
			}
		})
	}
}
