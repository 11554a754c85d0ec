// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package certificate tests on a real control plane that the aggregator trusts all replicas of the server all the
// time: while the CA is replaced, and soon after somebody damaged something.
package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	certutil "k8s.io/client-go/util/cert"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	secretName = localcluster.ServerName + "-ca"
	dnsName    = localcluster.ServerName + "." + localcluster.ServerNamespace + ".svc"
)

func TestMain(m *testing.M) { os.Exit(env.MainAlone(m)) }

// startReplica starts one more server beside the usual one, with a store of its own, until the test's end. It returns
// its port.
func startReplica(t *testing.T, args ...string) int {
	t.Helper()
	e := env.Current(t)
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	binary, usual := e.Server.Command()
	dir := t.TempDir()
	log := filepath.Join(e.Cluster.LogDir(), fmt.Sprintf("replica-%d.log", port))
	replica, err := process.Start(process.Spec{
		Path: binary, LogPath: log,
		Args: append(append(usual, "--data-dir="+filepath.Join(dir, "data"), fmt.Sprintf("--secure-port=%d", port),
			"--audit-log-path="+filepath.Join(dir, "audit.log")), args...),
	})
	if err != nil {
		t.Fatalf("could not start a replica: %v", err)
	}
	t.Cleanup(func() {
		if err := replica.Kill(); err != nil {
			t.Errorf("could not end the replica: %v", err)
		}
	})
	env.Eventually(t, "the replica serves", func(context.Context) string {
		if replica.Ended() {
			t.Fatalf("the replica ended, see %s", log)
		}
		if _, err := served(port); err != nil {
			return err.Error()
		}
		return ""
	})
	return port
}

// served is the certificate that a server shows.
func served(port int) (*x509.Certificate, error) {
	conn, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{InsecureSkipVerify: true, ServerName: dnsName}) //nolint:gosec // it is only looked at
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0], nil
}

// trusted says why an aggregator with that caBundle does not trust a server; nil if it does.
func trusted(bundle []byte, port int) error {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return errors.New("the caBundle has no certificate")
	}
	conn, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{RootCAs: roots, ServerName: dnsName, MinVersion: tls.VersionTLS12})
	if err != nil {
		return err
	}
	return conn.Close()
}

// secret is the CA.
func secret(t *testing.T) *corev1.Secret {
	t.Helper()
	found, err := env.Current(t).Kube.CoreV1().Secrets(localcluster.ServerNamespace).Get(t.Context(), secretName, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("could not get the CA: %v", err)
	}
	return found
}

// signedBy says whether the CA of the Secret signed what a server shows.
func signedBy(ca *corev1.Secret, port int) error {
	certs, err := certutil.ParseCertsPEM(ca.Data[corev1.TLSCertKey])
	if err != nil {
		return err
	}
	shown, err := served(port)
	if err != nil {
		return err
	}
	return shown.CheckSignatureFrom(certs[0])
}

// bundleNow is the caBundle of the server's APIService.
func bundleNow(t *testing.T) []byte {
	t.Helper()
	apiService, err := registrations(t).Get(t.Context(), localcluster.APIServiceName, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("could not get the APIService: %v", err)
	}
	return apiService.Spec.CABundle
}

// patchAPIService changes the spec of the server's APIService.
func patchAPIService(t *testing.T, spec map[string]any) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	_, err = registrations(t).Patch(t.Context(), localcluster.APIServiceName, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not change the APIService: %v", err)
	}
}

func registrations(t *testing.T) apiregistrationclient.APIServiceInterface {
	t.Helper()
	client, err := apiregistration.NewForConfig(env.Current(t).Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client.ApiregistrationV1().APIServices()
}
