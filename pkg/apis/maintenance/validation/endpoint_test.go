// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

type endpointSpec = v1beta1.MaintenanceEndpointSpec

const members = "must have exactly one of: slack, smtp, prometheus, http, webhook, keystone"

func TestEndpoints(t *testing.T) {
	secret := &v1beta1.EndpointSecretReference{Name: "mail"}
	mail := func(change func(*v1beta1.SMTPEndpoint)) endpointSpec {
		smtp := &v1beta1.SMTPEndpoint{Address: "mail.example.com:587", TLS: v1beta1.SMTPStartTLS, Auth: v1beta1.SMTPPlain}
		change(smtp)
		return endpointSpec{SMTP: smtp, SecretRef: secret}
	}
	bundle := certificate(t)
	tests := map[string]struct {
		spec endpointSpec
		want []string
	}{
		"a URL":               {spec: endpointSpec{Prometheus: &v1beta1.URLEndpoint{URL: "https://prometheus.example.com:9090/base"}}},
		"a URL in the Secret": {spec: endpointSpec{Webhook: &v1beta1.URLEndpoint{}, SecretRef: secret}},
		"all of Slack":        {spec: endpointSpec{Slack: &v1beta1.SlackEndpoint{}, SecretRef: secret, TimeoutSeconds: ptr.To[int32](60), PerMinute: ptr.To[int32](6000)}},
		"mail":                {spec: mail(func(*v1beta1.SMTPEndpoint) {})},
		"mail for nobody": {spec: endpointSpec{SMTP: &v1beta1.SMTPEndpoint{
			Address: "[::1]:25", TLS: v1beta1.SMTPUnencrypted, Auth: v1beta1.SMTPNoAuthentication,
		}}},
		"nothing": {want: []string{"spec: Required value: " + members}},
		"two": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, Webhook: &v1beta1.URLEndpoint{URL: "http://a"}},
			want: []string{`spec: Invalid value: "http, webhook": ` + members},
		},
		"no URL": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{}},
			want: []string{"spec.http.url: Required value: must be set, unless secretRef names a Secret with the key url"},
		},
		"no Secret for Slack": {
			spec: endpointSpec{Slack: &v1beta1.SlackEndpoint{}},
			want: []string{"spec.secretRef: Required value: must name the Secret that has the key token, or the key url of an incoming webhook"},
		},
		"no Secret for Keystone": {
			spec: endpointSpec{Keystone: &v1beta1.URLEndpoint{URL: "https://a"}},
			want: []string{"spec.secretRef: Required value: must name the Secret that has the key cloudprovider.conf"},
		},
		"no name of the Secret": {
			spec: endpointSpec{Webhook: &v1beta1.URLEndpoint{}, SecretRef: &v1beta1.EndpointSecretReference{}},
			want: []string{"spec.secretRef.name: Required value: must be the name of a Secret in the server's namespace of Secrets"},
		},
		"mail to no port": {
			spec: mail(func(s *v1beta1.SMTPEndpoint) { s.Address = "mail.example.com" }),
			want: []string{`spec.smtp.address: Invalid value: "mail.example.com": must be a name and a port, such as mail.example.com:587`},
		},
		"a password for all to see": {
			spec: mail(func(s *v1beta1.SMTPEndpoint) { s.TLS = v1beta1.SMTPUnencrypted }),
			want: []string{`spec.smtp.tls: Invalid value: "None": must be StartTLS or TLS: the credentials of secretRef must not go unencrypted`},
		},
		"a token for all to see": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, SecretRef: secret},
			want: []string{`spec.http.url: Invalid value: "(not shown)": must begin with https://: the credentials of secretRef must not go unencrypted`},
		},
		"a token for this machine": {spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://[::1]:8080"}, SecretRef: secret}},
		"mail in a way that there is not": {
			spec: mail(func(s *v1beta1.SMTPEndpoint) { s.TLS, s.Auth = "SSL", "NTLM" }),
			want: []string{
				`spec.smtp.tls: Unsupported value: "SSL": supported values: "StartTLS", "TLS", "None"`,
				`spec.smtp.auth: Unsupported value: "NTLM": supported values: "Plain", "Login", "CRAMMD5", "None"`,
			},
		},
		"a login without a Secret": {
			spec: endpointSpec{SMTP: &v1beta1.SMTPEndpoint{Address: "a:25", TLS: v1beta1.SMTPTLS, Auth: v1beta1.SMTPLogin}},
			want: []string{"spec.secretRef: Required value: must name the Secret that has the keys username and password; without one, set auth to None"},
		},
		"out of range": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, TimeoutSeconds: ptr.To[int32](61), PerMinute: ptr.To[int32](0)},
			want: []string{
				"spec.timeoutSeconds: Invalid value: 61: must be between 1 and 60, inclusive", "spec.perMinute: Invalid value: 0: must be between 1 and 6000, inclusive",
			},
		},
		"CAs": {spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, CABundle: slices.Concat([]byte("# Issuer: us\n"), bundle, bundle)}},
		"CAs and more": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, CABundle: append(slices.Clone(bundle), "-----BEGIN"...)},
			want: []string{`spec.caBundle: Invalid value: "(not shown)": must be one or more certificates as PEM, and nothing else, in base64`},
		},
		"many CAs": {
			spec: endpointSpec{HTTP: &v1beta1.URLEndpoint{URL: "http://a"}, CABundle: make([]byte, 65537)},
			want: []string{"spec.caBundle: Too long: may not be more than 65536 bytes"},
		},
	}
	for url, want := range map[string]string{
		"example.com":            "must be a URL, such as https://prometheus.example.com/base",
		"ftp://example.com":      "must be a URL, such as https://prometheus.example.com/base",
		"https:///x":             "must be a URL, such as https://prometheus.example.com/base",
		"https://u:p@a/":         "must not have a user: the keys username and password of the Secret have it",
		"https://a/?token=x":     `must not have a query, which begins with "?"; if it is secret, put the URL into the key url of the Secret`,
		"https://a/?":            `must not have a query, which begins with "?"; if it is secret, put the URL into the key url of the Secret`,
		"https://a/#x":           `must not have a fragment, which begins with "#"`,
		"https://a b/":           "must be a URL, such as https://prometheus.example.com/base",
		"https://a/%zz?hidden=x": "must be a URL, such as https://prometheus.example.com/base",
	} {
		tests["URL "+url] = struct {
			spec endpointSpec
			want []string
		}{endpointSpec{Webhook: &v1beta1.URLEndpoint{URL: url}}, []string{fmt.Sprintf(`spec.webhook.url: Invalid value: "(not shown)": %s`, want)}}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantErrors(t, ValidateMaintenanceEndpoint(&v1beta1.MaintenanceEndpoint{ObjectMeta: metav1.ObjectMeta{Name: "a.b"}, Spec: test.spec}), test.want...)
		})
	}
}

// certificate is a CA as PEM.
func certificate(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})
}

// What a newer version has stored stays, and does not keep anybody from changing the rest.
func TestEndpointThatAnotherVersionStored(t *testing.T) {
	old := &v1beta1.MaintenanceEndpoint{}
	changed := old.DeepCopy()
	changed.Spec.PerMinute = ptr.To[int32](0)
	wantErrors(t, ValidateMaintenanceEndpointUpdate(changed, old), "spec.perMinute: Invalid value: 0: must be between 1 and 6000, inclusive")
}

func TestEndpointStatus(t *testing.T) {
	changed := &v1beta1.MaintenanceEndpoint{Status: v1beta1.MaintenanceEndpointStatus{Threads: make([]v1beta1.SlackThread, 65)}}
	wantErrors(t, ValidateMaintenanceEndpointStatusUpdate(changed, &v1beta1.MaintenanceEndpoint{}), "status.threads: Too many: 65: must have at most 64 items")
}
