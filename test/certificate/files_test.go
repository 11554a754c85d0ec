// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package certificate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	certutil "k8s.io/client-go/util/cert"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestProvidedFiles has the admin provide the certificate in files, and replace them, as the kubelet does with those of
// a Secret: a link to a folder is replaced.
func TestProvidedFiles(t *testing.T) {
	before, bundle := secret(t), bundleNow(t)
	authority, err := certs.NewAuthority("admin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	first := provide(t, authority, dir, "first")
	for _, file := range []string{"tls.crt", "tls.key"} {
		if err := os.Symlink(filepath.Join("..data", file), filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	port := startReplica(t, "--tls-cert-file="+filepath.Join(dir, "tls.crt"), "--tls-private-key-file="+filepath.Join(dir, "tls.key"))
	wantServed(t, port, first)
	second := provide(t, authority, dir, "second")
	if err := os.RemoveAll(filepath.Join(dir, "first")); err != nil {
		t.Fatal(err)
	}
	wantServed(t, port, second)
	if after := secret(t); after.ResourceVersion != before.ResourceVersion || !bytes.Equal(bundleNow(t), bundle) {
		t.Error("a server whose certificate is provided changed the CA of the others")
	}
}

// provide puts a new pair into a folder of its own, and has ..data point there.
func provide(t *testing.T, authority *certs.Authority, dir, folder string) certs.Pair {
	t.Helper()
	pair, err := authority.Server([]string{dnsName}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"tls.crt": pair.Cert, "tls.key": pair.Key} {
		if err := os.WriteFile(filepath.Join(dir, folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "..new")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	return pair
}

func wantServed(t *testing.T, port int, want certs.Pair) {
	t.Helper()
	certificates, err := certutil.ParseCertsPEM(want.Cert)
	if err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the server shows the certificate of the files", func(context.Context) string {
		shown, err := served(port)
		if err != nil {
			return err.Error()
		}
		if !shown.Equal(certificates[0]) {
			return "it shows another one"
		}
		return ""
	})
}
