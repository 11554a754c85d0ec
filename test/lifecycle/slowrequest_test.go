// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// slowLabel marks the objects that the slow webhook is asked about.
const slowLabel = "test-slow"

// TestTerminateDuringSlowRequest stops the server while a create waits for a
// webhook that never answers.
func TestTerminateDuringSlowRequest(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	asked := slowWebhook(t, pool)
	keepServer(t)
	hold := pool.Hold("slow", pool.Nodes[0])
	hold.Labels = map[string]string{slowLabel: pool.Name}
	create := func(ctx context.Context, options metav1.CreateOptions) error {
		_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, hold, options)
		return err
	}
	env.Eventually(t, "the server knows the webhook", func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		err := create(ctx, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if len(asked) == 0 {
			return fmt.Sprintf("it was not asked; the answer to a dry run: %v", err)
		}
		return ""
	})
	for len(asked) > 0 {
		<-asked
	}
	answered := make(chan error, 1)
	go func() { answered <- create(context.WithoutCancel(t.Context()), metav1.CreateOptions{}) }()
	select {
	case <-asked:
	case err := <-answered:
		t.Fatalf("the create did not wait for its webhook: %v", err)
	}
	terminate(t)
	if err := <-answered; err == nil {
		t.Error("the create succeeded past its webhook")
	}
	start(t)
	_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), hold.Name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("looking for the object gave %v, want that it was not stored", err)
	}
}

// slowWebhook has creates of objects with slowLabel wait for somebody who accepts
// connections and never says a word. What it returns hears of each connection.
func slowWebhook(t *testing.T, pool *env.Pool) (asked chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	asked = make(chan struct{}, 100)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = connection.Close() })
			asked <- struct{}{}
		}
	}()
	registerWebhook(t, pool, admissionregistrationv1.WebhookClientConfig{URL: new("https://" + listener.Addr().String())})
	return asked
}

// registerWebhook has creates of the pool's objects with slowLabel ask a webhook, until the test's end.
func registerWebhook(t *testing.T, pool *env.Pool, client admissionregistrationv1.WebhookClientConfig) {
	t.Helper()
	webhooks := pool.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := webhooks.Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: pool.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "slow.example.com",
			ClientConfig:            client,
			ObjectSelector:          &metav1.LabelSelector{MatchLabels: map[string]string{slowLabel: pool.Name}},
			TimeoutSeconds:          new(int32(30)),
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{v1beta1.GroupName}, APIVersions: []string{"*"}, Resources: []string{"nodemaintenances"},
				},
			}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("could not register a webhook: %v", err)
	}
	t.Cleanup(func() {
		err := webhooks.Delete(context.WithoutCancel(t.Context()), pool.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Errorf("could not remove the webhook: %v", err)
		}
	})
}
