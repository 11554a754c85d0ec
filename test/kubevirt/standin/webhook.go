// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WebhookName is the name of KubeVirt's webhook for evictions.
const WebhookName = "virt-launcher-eviction-interceptor.kubevirt.io"

// serveWebhook serves the webhook on loopback, and registers it for the pool's namespace.
func (k *KubeVirt) serveWebhook(t *testing.T) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(k.review))
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	hooks := k.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: k.pool.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:         WebhookName,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &server.URL, CABundle: authority},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods/eviction"}},
			}},
			FailurePolicy:           new(admissionregistrationv1.Ignore),
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: k.pool.Name}},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNoneOnDryRun),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not register the webhook: %v", err)
	}
	t.Cleanup(func() {
		if err := hooks.Delete(context.Background(), k.pool.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove the webhook: %v", err)
		}
		server.Close()
	})
}

func (k *KubeVirt) review(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(response, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if refusal := k.admit(request.Context(), review.Request); refusal != "" {
		review.Response.Allowed = false
		review.Response.Result = &metav1.Status{Code: http.StatusTooManyRequests, Message: refusal}
	}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(review) // a caller that has gone needs no answer
}

// admit says why the eviction is refused; empty when it is not.
func (k *KubeVirt) admit(ctx context.Context, request *admissionv1.AdmissionRequest) (refusal string) {
	pod, err := k.kube.CoreV1().Pods(request.Namespace).Get(ctx, request.Name, metav1.GetOptions{})
	if err != nil || pod.Labels["kubevirt.io"] != "virt-launcher" {
		return ""
	}
	name := pod.Annotations["kubevirt.io/domain"]
	k.set(func() { k.asked[name]++ })
	machine, err := k.kinds.Resource(machines).Namespace(request.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "kubevirt failed getting the vmi: " + err.Error()
	}
	of := read(machine)
	switch {
	case of.strategy != LiveMigrate && (of.strategy != LiveMigrateIfPossible || !of.migratable):
		return ""
	case !of.migratable:
		return fmt.Sprintf("VMI %s is configured with an eviction strategy but is not live-migratable", name)
	case of.node != pod.Spec.NodeName:
		return ""
	case of.evacuating != "" && k.lenient:
		return ""
	}
	triggered := fmt.Sprintf("Eviction triggered evacuation of VMI \"%s/%s\"", request.Namespace, name)
	if of.evacuating != "" {
		return "Evacuation in progress: " + triggered
	}
	if request.DryRun == nil || !*request.DryRun {
		if err := k.patchStatus(ctx, machines, name, map[string]any{"evacuationNodeName": of.node}); err != nil {
			return "kubevirt failed marking the vmi for eviction: " + err.Error()
		}
	}
	return triggered
}
