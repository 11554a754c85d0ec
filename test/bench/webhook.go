// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const webhookName = "holds." + customGroup

// webhook validates custom resources as our server validates holds. It asks nobody who
// may hold which node.
type webhook struct {
	server *httptest.Server
	// refused is how many requests it has refused.
	refused atomic.Int64
}

// newWebhook serves on loopback, by TLS, until its server is closed.
func newWebhook() *webhook {
	w := &webhook{}
	w.server = httptest.NewUnstartedServer(w)
	w.server.EnableHTTP2 = true
	w.server.StartTLS()
	return w
}

func (w *webhook) configuration() *admissionregistrationv1.ValidatingWebhookConfiguration {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.server.Certificate().Raw})
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: webhookName},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:         webhookName,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &w.server.URL, CABundle: authority},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{customGroup}, APIVersions: []string{customVersion.Version}, Resources: []string{nodemaintenance.Plural},
				},
			}},
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

// ServeHTTP implements http.Handler.
func (w *webhook) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	review := &admissionv1.AdmissionReview{}
	if err := json.NewDecoder(request.Body).Decode(review); err != nil || review.Request == nil {
		http.Error(response, fmt.Sprintf("could not read an AdmissionReview: %v", err), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if err := validateCustom(review.Request); err != nil {
		w.refused.Add(1)
		review.Response.Allowed, review.Response.Result = false, &metav1.Status{Message: err.Error(), Reason: metav1.StatusReasonInvalid}
	}
	review.Request = nil
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(review) // the API server sees an answer that is cut off
}

// validateCustom returns everything that is wrong with the object of a request.
func validateCustom(request *admissionv1.AdmissionRequest) error {
	hold := &v1beta1.NodeMaintenance{}
	if err := json.Unmarshal(request.Object.Raw, hold); err != nil {
		return fmt.Errorf("could not read the object: %w", err)
	}
	scheme.Scheme.Default(hold)
	if hold.Spec.Requestor != request.UserInfo.Username {
		return errors.New("spec.requestor must be the user who makes the request")
	}
	return validation.ValidateNodeMaintenance(hold).ToAggregate()
}
