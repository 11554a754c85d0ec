// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

func TestSMTP(t *testing.T) {
	credentials := map[string]string{"username": "u-1", "password": "p-1\n"}
	tests := map[string]struct {
		smtp    v1beta1.SMTPEndpoint
		secret  map[string]string // nil: no secretRef
		want    endpoint.SMTP
		wantErr string
	}{
		"by default": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com:587"}, secret: credentials,
			want: endpoint.SMTP{Port: 587, Encryption: "StartTLS", Authentication: "Plain", Username: "u-1", Password: "p-1"},
		},
		"without a Secret": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com:25", TLS: "None"},
			want: endpoint.SMTP{Port: 25, Encryption: "None", Authentication: "None"},
		},
		"login": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com:465", TLS: "TLS", Auth: "Login"}, secret: credentials,
			want: endpoint.SMTP{Port: 465, Encryption: "TLS", Authentication: "Login", Username: "u-1", Password: "p-1"},
		},
		"credentials in plain text": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com:25", TLS: "None"}, secret: credentials,
			wantErr: "its credentials would be sent without encryption: set tls to StartTLS or TLS",
		},
		"no password": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com:25"}, secret: map[string]string{"username": "u-1"},
			wantErr: "the Secret s lacks the key password",
		},
		"no Secret": {
			smtp:    v1beta1.SMTPEndpoint{Address: "mail.example.com:25", Auth: "Plain"},
			wantErr: "it needs a secretRef: a Secret with the key username and the key password",
		},
		"no port": {
			smtp: v1beta1.SMTPEndpoint{Address: "mail.example.com"}, wantErr: "its address is no name with a port",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			secret := ""
			if test.secret != nil {
				secret = "s"
				w.secret("s", test.secret)
			}
			w.endpoint("e", secret, v1beta1.MaintenanceEndpointSpec{SMTP: &test.smtp})
			got, err := w.SMTP(t.Context(), "e")
			if test.wantErr != "" {
				wantError(t, err, test.wantErr, "u-1", "p-1")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			test.want.Host, test.want.Timeout = "mail.example.com", 10_000_000_000
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreFields(endpoint.SMTP{}, "TLS", "Dial")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.TLS.ServerName != "mail.example.com" {
				t.Errorf("the certificate is to be for %q", got.TLS.ServerName)
			}
		})
	}
	w := newWorld(t)
	w.endpoint("e", "", v1beta1.MaintenanceEndpointSpec{HTTP: urlEndpoint("https://a.example.com")})
	_, err := w.SMTP(t.Context(), "e")
	wantError(t, err, "endpoint e: it is no mail server")
}
