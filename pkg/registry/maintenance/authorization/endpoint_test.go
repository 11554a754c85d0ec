// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const getSecret = "get /v1 secrets ops mail"

func mailServer(address, secret string) *v1beta1.MaintenanceEndpoint {
	endpoint := &v1beta1.MaintenanceEndpoint{
		ObjectMeta: metav1.ObjectMeta{Name: "mail"}, Spec: v1beta1.MaintenanceEndpointSpec{SMTP: &v1beta1.SMTPEndpoint{Address: address}},
	}
	if secret != "" {
		endpoint.Spec.SecretRef = &v1beta1.EndpointSecretReference{Name: secret}
	}
	return endpoint
}

func endpointWrite(endpoint, old *v1beta1.MaintenanceEndpoint, operation admission.Operation, subresource string) admission.Attributes {
	var object, before runtime.Object
	if endpoint != nil {
		object = endpoint
	}
	if old != nil {
		before = old
	}
	return admission.NewAttributesRecord(object, before, v1beta1.SchemeGroupVersion.WithKind("MaintenanceEndpoint"), "", "mail",
		v1beta1.SchemeGroupVersion.WithResource("maintenanceendpoints"), subresource, operation, nil, false, &user.DefaultInfo{Name: "alice"})
}

// Who has the server send a Secret somewhere must be permitted to read it.
func TestAuthorsOfEndpoints(t *testing.T) {
	ours, evil, open := mailServer("mail.example.com:587", "mail"), mailServer("evil.example.com:587", "mail"), mailServer("mail.example.com:587", "")
	labelled := mailServer("mail.example.com:587", "mail")
	labelled.Labels = map[string]string{"a": "b"}
	for name, test := range map[string]struct {
		endpoint, old *v1beta1.MaintenanceEndpoint
		operation     admission.Operation
		subresource   string
		want          []string
	}{
		"a new one":                {endpoint: ours, operation: admission.Create, want: []string{getSecret}},
		"a new one without Secret": {endpoint: open, operation: admission.Create},
		"another address":          {endpoint: evil, old: ours, operation: admission.Update, want: []string{getSecret}},
		"a Secret where none was":  {endpoint: ours, old: open, operation: admission.Update, want: []string{getSecret}},
		"a Secret no more":         {endpoint: open, old: ours, operation: admission.Update},
		"another label":            {endpoint: labelled, old: ours, operation: admission.Update},
		"the status":               {endpoint: evil, old: ours, operation: admission.Update, subresource: "status"},
		"it is deleted":            {old: ours, operation: admission.Delete},
	} {
		t.Run(name, func(t *testing.T) {
			q := &questions{}
			attributes := endpointWrite(test.endpoint, test.old, test.operation, test.subresource)
			if err := New(q, "ops").Validate(t.Context(), attributes, nil); err != nil || !slices.Equal(q.asked, test.want) {
				t.Errorf("got %v, asked %q, want %q", err, q.asked, test.want)
			}
		})
	}
	create := endpointWrite(ours, nil, admission.Create, "")
	err := New(&questions{refuse: []string{getSecret}}, "ops").Validate(t.Context(), create, nil)
	const want = `maintenanceendpoints.maintenance.medik8s.io "mail" is forbidden: User "alice" cannot get resource "secrets" in API group "" ` +
		`in the namespace "ops" named "mail", which spec.secretRef asks for`
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a 403 that says %s", err, want)
	}
	labels := endpointWrite(labelled, ours, admission.Update, "")
	for attributes, wantErr := range map[admission.Attributes]bool{create: true, labels: false} {
		err := New(&questions{}, "").Validate(t.Context(), attributes, nil)
		if wantErr && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.secretRef: Forbidden: this server reads no Secrets")) || !wantErr && err != nil {
			t.Errorf("%s without a namespace of Secrets: got %v", attributes.GetOperation(), err)
		}
	}
}
