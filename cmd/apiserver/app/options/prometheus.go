// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"net/url"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/fleet/promquery"
)

// PrometheusOptions is which Prometheus server the gates of policies ask. Policies name only queries.
type PrometheusOptions struct {
	// URL is its address; empty: there is none, and gates that ask it do not pass.
	URL string
	// CAFile has the CAs that its certificate may be from. Empty: those of the system.
	CAFile string
	// TokenFile has the bearer token that it wants. Empty: it wants none.
	TokenFile string
}

func (o *PrometheusOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.URL, "prometheus-url", o.URL,
		"URL of the Prometheus server, or of another one with its query API, that the gates of MaintenancePolicies ask, as in "+
			"https://prometheus.monitoring.svc:9090. Default: none, so that such gates do not pass.")
	fs.StringVar(&o.CAFile, "prometheus-ca-file", o.CAFile,
		"File with PEM certificates of the CAs that the certificate of --prometheus-url may be from. It may change. Default: the CAs of the system.")
	fs.StringVar(&o.TokenFile, "prometheus-token-file", o.TokenFile,
		"File with the bearer token for --prometheus-url, which must be https then. It may change. Default: no token.")
}

func (o *PrometheusOptions) validate() []error {
	if o.URL == "" {
		if o.CAFile != "" || o.TokenFile != "" {
			return []error{errors.New("--prometheus-ca-file and --prometheus-token-file require --prometheus-url")}
		}
		return nil
	}
	parsed, err := url.Parse(o.URL)
	switch {
	case err != nil, (parsed.Scheme != "http" && parsed.Scheme != "https"), parsed.Hostname() == "":
		return []error{errors.New("--prometheus-url must be as in https://prometheus.monitoring.svc:9090")}
	case parsed.User != nil:
		return []error{errors.New("--prometheus-url must not have a password: use --prometheus-token-file")}
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return []error{errors.New("--prometheus-url must not have a ? or a #")}
	case parsed.Scheme == "http" && (o.TokenFile != "" || o.CAFile != ""):
		return []error{errors.New("--prometheus-ca-file and --prometheus-token-file require a --prometheus-url with https, so that nobody reads the token on its way")}
	default:
		return nil
	}
}

// Config is which server is asked.
func (o *PrometheusOptions) Config() promquery.Config {
	return promquery.Config{URL: o.URL, CAFile: o.CAFile, TokenFile: o.TokenFile}
}
