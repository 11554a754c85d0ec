// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package certificate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// keeping is how long the servers may take to see a change and to agree on what follows from it. A server pauses for up
// to half a minute after it wrote something or failed, and fails where the other one was faster. A new CA signs only
// half a minute after all know it. The rest is for a loaded machine.
const keeping = 3 * time.Minute

// The commands of docs/operations.md.
var (
	rotateCommand = []string{"-n", localcluster.ServerNamespace, "patch", "secret", secretName, "--type=merge", "-p", `{"data":{"tls.key":""}}`}
	deleteCommand = []string{"-n", localcluster.ServerNamespace, "delete", "secret", secretName}
)

func TestCommandsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{rotateCommand, deleteCommand} {
		last := len(command) - 1
		for _, want := range []string{"kubectl " + strings.Join(command[:last], " "), command[last]} {
			if !strings.Contains(string(page), want) {
				t.Errorf("docs/operations.md does not say %q", want)
			}
		}
	}
}

// TestReplicas has two servers, of which the aggregator reaches one after the other.
func TestReplicas(t *testing.T) {
	ports := []int{env.Current(t).Server.Port(), startReplica(t)}
	t.Run("one CA for both", func(t *testing.T) {
		for _, port := range ports {
			if err := signedBy(secret(t), port); err != nil {
				t.Errorf("the CA did not sign for port %d: %v", port, err)
			}
			reach(t, port)
		}
	})
	t.Run("rotation by hand", func(t *testing.T) { rotate(t, ports) })
	t.Run("caBundle changed", func(t *testing.T) { repair(t, ports) })
	t.Run("Secret deleted", func(t *testing.T) { deleteSecret(t, ports) })
}

// reach has the aggregator use the server at a port.
func reach(t *testing.T, port int) {
	t.Helper()
	patchAPIService(t, map[string]any{"service": map[string]any{"port": port}})
	env.Eventually(t, fmt.Sprintf("the aggregator reaches port %d", port), func(ctx context.Context) string {
		for range 10 {
			if _, err := env.Current(t).Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{}); err != nil {
				return err.Error()
			}
		}
		return ""
	})
}

// rotate replaces the CA while requests run. None fails, and both servers are trusted at every moment.
func rotate(t *testing.T, ports []int) {
	before := secret(t)
	failures, asked, stop := ask(t, ports)
	env.Current(t).Kubectl().Must(t, "", rotateCommand...)
	began := time.Now()
	env.EventuallyWithin(t, keeping, "both servers have certificates of the new CA", func(context.Context) string {
		after := secret(t)
		if len(after.Data[corev1.TLSPrivateKeyKey]) == 0 || bytes.Equal(after.Data[corev1.TLSCertKey], before.Data[corev1.TLSCertKey]) {
			return "the old CA is still in the Secret"
		}
		for _, port := range ports {
			if err := signedBy(after, port); err != nil {
				return err.Error()
			}
		}
		return ""
	})
	t.Logf("both servers had certificates of the new CA after %s", time.Since(began).Round(time.Second))
	for _, port := range ports {
		reach(t, port)
	}
	stop()
	if *asked == 0 || len(*failures) > 0 {
		t.Errorf("%d of %d requests failed, the first with: %s", len(*failures), *asked, append(*failures, "")[0])
	}
	t.Logf("%d requests", *asked)
	bundle := bundleNow(t)
	if !bytes.Contains(bundle, before.Data[corev1.TLSCertKey]) || !bytes.Contains(bundle, secret(t).Data[corev1.TLSCertKey]) {
		t.Error("the caBundle does not have both CAs, as long as a certificate of the old one may be in use")
	}
}

// ask sends requests through the aggregator, and makes connections as an aggregator does that is a little late, until
// stop is called.
func ask(t *testing.T, ports []int) (failures *[]string, asked *int, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	failures, asked = &[]string{}, new(int)
	var asking sync.WaitGroup
	bundle, client := bundleNow(t), registrations(t)
	asking.Go(func() {
		for ctx.Err() == nil {
			*asked++
			if _, err := env.Current(t).Maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{}); err != nil && ctx.Err() == nil {
				*failures = append(*failures, "through the aggregator: "+err.Error())
			}
			for _, port := range ports {
				if err := trusted(bundle, port); err != nil {
					*failures = append(*failures, fmt.Sprintf("to port %d: %v", port, err))
				}
			}
			if apiService, err := client.Get(ctx, localcluster.APIServiceName, metav1.GetOptions{}); err == nil {
				bundle = apiService.Spec.CABundle
			}
		}
	})
	return failures, asked, func() {
		cancel()
		asking.Wait()
	}
}

// repair changes the caBundle.
func repair(t *testing.T, ports []int) {
	want := secret(t).Data[corev1.ServiceAccountRootCAKey]
	stranger, err := certs.NewAuthority("stranger")
	if err != nil {
		t.Fatal(err)
	}
	for name, bundle := range map[string][]byte{"removed": nil, "of a stranger": stranger.Cert} {
		patchAPIService(t, map[string]any{"caBundle": bundle})
		began := time.Now()
		env.EventuallyWithin(t, keeping, "the caBundle is repaired, which was "+name, func(context.Context) string {
			if !bytes.Equal(bundleNow(t), want) {
				return "it is still wrong"
			}
			return ""
		})
		t.Logf("the caBundle, which was %s, was repaired after %s", name, time.Since(began).Round(time.Millisecond))
	}
	reach(t, ports[0])
}

// deleteSecret has an admin delete the Secret: a new CA is trusted soon, and the old one no longer.
func deleteSecret(t *testing.T, ports []int) {
	before := secret(t)
	env.Current(t).Kubectl().Must(t, "", deleteCommand...)
	began := time.Now()
	env.EventuallyWithin(t, keeping, "both servers are trusted again", func(context.Context) string {
		bundle := bundleNow(t)
		if bytes.Contains(bundle, before.Data[corev1.TLSCertKey]) {
			return "the old CA is still trusted"
		}
		for _, port := range ports {
			if err := trusted(bundle, port); err != nil {
				return err.Error()
			}
		}
		return ""
	})
	t.Logf("both servers were trusted again after %s", time.Since(began).Round(time.Millisecond))
	for _, port := range ports {
		reach(t, port)
	}
}
