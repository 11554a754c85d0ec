// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const webhookName = "evictions.webhook.test"

// webhook refuses the evictions of a namespace as KubeVirt does while it migrates
// a virtual machine, until it is told to let them through.
type webhook struct {
	open  atomic.Bool
	asked atomic.Int32
}

func (w *webhook) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(response, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	w.asked.Add(1)
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: w.open.Load()}
	if !review.Response.Allowed {
		review.Response.Result = &metav1.Status{Code: http.StatusTooManyRequests, Message: "the virtual machine is being migrated"}
	}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(review) // a caller that has gone needs no answer
}

// start serves the webhook on loopback and registers it for the pool's namespace.
func (w *webhook) start(t *testing.T, p *pool) {
	t.Helper()
	server := httptest.NewTLSServer(w)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:         webhookName,
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &server.URL, CABundle: authority},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods/eviction"}},
			}},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: p.Name}},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	webhooks := p.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := webhooks.Create(t.Context(), configuration, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not register the webhook: %v", err)
	}
	t.Cleanup(func() {
		if err := webhooks.Delete(context.Background(), p.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove the webhook: %v", err)
		}
		server.Close()
	})
}

func TestWebhookThatRefuses(t *testing.T) {
	t.Parallel()
	var hook webhook
	obstacle{
		start: func(t *testing.T, p *pool) {
			p.Run(t, p.workload().Pod("vm", localcluster.OnNode(p.Nodes[0])))
			hook.start(t, p)
		},
		pod:    "vm",
		want:   v1beta1.DrainBlocker{Reason: v1beta1.BlockerAdmissionWebhook, Object: "webhook/" + webhookName},
		words:  []string{"the virtual machine is being migrated", "retried"},
		column: "webhook " + webhookName + " (1 pod)",
		lift: func(t *testing.T, _ *pool) {
			if asked := hook.asked.Load(); asked == 0 || asked > 10 {
				t.Errorf("the webhook was asked %d times so far, want few", asked)
			}
			hook.open.Store(true)
		},
	}.check(t)
}
