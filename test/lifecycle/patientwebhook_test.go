// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// patientWebhook allows every create of a hold with slowLabel; those that are stored only once it is told to.
type patientWebhook struct {
	// asked hears of each create that waits; dry counts the dry runs.
	asked chan struct{}
	dry   atomic.Int32
	told  chan struct{}
	// answer has it answer from now on.
	answer func()
}

func newPatientWebhook(t *testing.T, pool *env.Pool) *patientWebhook {
	t.Helper()
	told := make(chan struct{})
	w := &patientWebhook{asked: make(chan struct{}, 10), told: told, answer: sync.OnceFunc(func() { close(told) })}
	server := httptest.NewTLSServer(w)
	t.Cleanup(server.Close)
	t.Cleanup(w.answer)
	registerWebhook(t, pool, admissionregistrationv1.WebhookClientConfig{
		URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	})
	return w
}

func (w *patientWebhook) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(response, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	if review.Request.DryRun != nil && *review.Request.DryRun {
		w.dry.Add(1)
	} else {
		w.asked <- struct{}{}
		<-w.told
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(review) // a caller that has gone needs no answer
}

// create begins to create the hold "slow" of the pool on the node, and returns when that waits for the
// webhook. The channel tells how it ends.
func (w *patientWebhook) create(t *testing.T, pool *env.Pool, node string) <-chan error {
	t.Helper()
	hold := pool.Hold("slow", node)
	hold.Labels = map[string]string{slowLabel: pool.Name}
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	env.Eventually(t, "the server knows the webhook", func(ctx context.Context) string {
		if _, err := holds.Create(ctx, hold, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			return err.Error()
		}
		if w.dry.Load() == 0 {
			return "it was not asked"
		}
		return ""
	})
	ended := make(chan error, 1)
	go func() {
		_, err := holds.Create(context.WithoutCancel(t.Context()), hold, metav1.CreateOptions{})
		ended <- err
	}()
	select {
	case <-w.asked:
	case err := <-ended:
		t.Fatalf("the create did not wait for its webhook: %v", err)
	}
	return ended
}
