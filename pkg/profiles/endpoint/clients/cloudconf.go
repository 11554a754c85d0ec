// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"net/url"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudconf"
)

// login is how to get a token of Keystone.
type login struct {
	cloudconf.Login
	// url is where Keystone gives tokens.
	url string
}

// parseLogin parses a cloudprovider.conf. Its errors have nothing of what is in it.
func parseLogin(name, conf string) (login, error) {
	read, err := cloudconf.Parse([]byte(conf))
	if err != nil {
		return login{}, unusable(name, "the key %s of its Secret %v", keyCloudProvider, err)
	}
	base, err := parseBase(name, read.AuthURL, "auth-url in the key "+keyCloudProvider+" of its Secret")
	if err != nil {
		return login{}, err
	}
	return login{Login: read, url: tokensURL(base)}, nil
}

// tokensURL is where Keystone gives tokens: only version 3 of its API exists.
func tokensURL(base *url.URL) string {
	if !strings.HasSuffix(strings.TrimSuffix(base.Path, "/"), "/v3") {
		base = base.JoinPath("v3")
	}
	return base.JoinPath("auth", "tokens").String()
}
