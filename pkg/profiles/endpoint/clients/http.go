// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// slackAPI is where Slack's API is.
const slackAPI = "https://slack.com/api/"

// HTTP implements endpoint.Endpoints.
func (c *Clients) HTTP(ctx context.Context, name string) (*endpoint.HTTP, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	kind, _ := kindOf(&e.Spec)
	if kind == endpoint.KindSMTP || kind == "" {
		return nil, unusable(name, "it is no HTTP server")
	}
	values, err := c.secrets.of(ctx, e)
	if err != nil {
		return nil, err
	}
	base, err := baseOf(e, values)
	if err != nil {
		return nil, err
	}
	if e.Spec.SecretRef != nil && v1beta1.Unencrypted(base) {
		return nil, unusable(name, "its credentials would be sent without encryption: use https")
	}
	calls, err := c.calls(e, base, values)
	if err != nil {
		return nil, err
	}
	made := &endpoint.HTTP{
		Kind: kind, Base: base,
		Client: &http.Client{Transport: calls, Timeout: timeoutOf(e), CheckRedirect: followNone},
	}
	if key := values[keyHMAC]; key != "" {
		made.HMACKey = []byte(key)
	}
	if kind == endpoint.KindSlack {
		made.Token = values[keyToken]
	}
	return made, nil
}

// followNone has the caller see the redirect.
func followNone(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func timeoutOf(e *v1beta1.MaintenanceEndpoint) time.Duration {
	return time.Duration(ptr.Deref(e.Spec.TimeoutSeconds, v1beta1.DefaultEndpointTimeoutSeconds)) * time.Second
}

// baseOf returns the URL of an endpoint.
func baseOf(e *v1beta1.MaintenanceEndpoint, values map[string]string) (*url.URL, error) {
	kind, text := kindOf(&e.Spec)
	switch {
	case kind == endpoint.KindSlack && values[keyToken] != "":
		text = cmp.Or(text, slackAPI)
	case values[keyURL] != "":
		return parseBase(e.Name, values[keyURL], "the key url of the Secret "+e.Spec.SecretRef.Name)
	case kind == endpoint.KindSlack:
		return nil, need(e, values, keyToken)
	case text == "":
		return nil, need(e, values, keyURL)
	}
	return parseBase(e.Name, text, "its url")
}

// parseBase parses a URL, and says nothing of it in an error.
func parseBase(name, text, source string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return nil, unusable(name, "%s is no URL that begins with https:// or http://", source)
	}
	if parsed.User != nil || parsed.Fragment != "" {
		return nil, unusable(name, "%s must have no user and no fragment: use the keys username and password", source)
	}
	return parsed, nil
}
