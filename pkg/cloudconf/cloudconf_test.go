// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudconf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudconf"
)

func TestParse(t *testing.T) {
	const url = "[Global]\nauth-url=https://i/v3\n"
	def := cloudconf.Domain{Name: "d"}
	for name, test := range map[string]struct {
		conf string
		want cloudconf.Login
		// wantError is what the error says after the name of the file.
		wantError string
	}{
		"one domain for both": {
			conf: url + "region = \"eu-1\"\nusername = robot\npassword=\"s3cret#;1\"\ndomain-name=d\ntenant-name=p\n[LoadBalancer]\nregion=x\n",
			want: cloudconf.Login{
				AuthURL: "https://i/v3", Region: "eu-1", Username: "robot", Password: "s3cret#;1", UserDomain: def,
				ProjectName: "p", ProjectDomain: def,
			},
		},
		"domains of their own": {
			conf: url + "user-id=u\npassword=s3cret\nuser-domain-id=1\ndomain-id=2\ntenant-domain-id=3\ntenant-id=t",
			want: cloudconf.Login{
				AuthURL: "https://i/v3", UserID: "u", Password: "s3cret", UserDomain: cloudconf.Domain{ID: "1"},
				ProjectID: "t", ProjectDomain: cloudconf.Domain{ID: "3"},
			},
		},
		"an application credential": {
			conf: "[GLOBAL]\nAuth-URL=https://i\napplication-credential-id=id\napplication-credential-secret=s3cret",
			want: cloudconf.Login{AuthURL: "https://i", CredentialID: "id", CredentialSecret: "s3cret"},
		},
		"no address":                  {conf: "[Global]\nusername=robot\npassword=s3cret", wantError: "has no auth-url in its section Global"},
		"no password":                 {conf: url + "username=robot", wantError: "has neither username and password nor an application credential in its section Global"},
		"no user":                     {conf: url + "password=s3cret", wantError: "has neither username and password nor an application credential in its section Global"},
		"a credential without secret": {conf: url + "application-credential-id=robot", wantError: "has neither username and password nor an application credential in its section Global"},
		"another section":             {conf: "[Other]\nauth-url=https://i", wantError: "has no auth-url in its section Global"},
		"another format":              {conf: "{s3cret", wantError: "is not in the format of OpenStack's cloud provider"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cloudconf.Parse([]byte(test.conf))
			if test.wantError != "" {
				if err == nil || err.Error() != test.wantError || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("got %v, want %s", err, test.wantError)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestRegion(t *testing.T) {
	for conf, want := range map[string]string{
		"[Global]\nregion=\"eu-1\"\n": "eu-1", // without credentials
		"[Other]\nregion=eu-1":        "",
		"{":                           "",
	} {
		if got := cloudconf.Region([]byte(conf)); got != want {
			t.Errorf("%q: got %q, want %q", conf, got, want)
		}
	}
}
