// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

// endpointFlag sets Settings.Endpoint.
const endpointFlag = "cloud-events-endpoint"

// Settings are what an admin sets of AWS. They are its source.Cloud.
type Settings struct {
	// Endpoint is the URL of EC2 for all regions, such as that of a VPC endpoint. Default: AWS' own, by region.
	Endpoint string
}

// Help says which permission is needed.
func (s *Settings) Help() string {
	return "For aws, the server needs the permission ec2:DescribeInstanceStatus, and finds its credentials as AWS' SDK does."
}

// AddFlags adds the flag for the endpoint.
func (s *Settings) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.Endpoint, endpointFlag, s.Endpoint,
		"URL of EC2 for all regions, such as that of a VPC endpoint. Default: AWS' own, by region.")
}

// Validate says what is wrong with the endpoint.
func (s *Settings) Validate() []error {
	if err := s.checkEndpoint(); err != nil {
		return []error{fmt.Errorf("--%s: %w", endpointFlag, err)}
	}
	return nil
}

// New returns a Source that has not asked anything.
func (s *Settings) New(nodes func() ([]*corev1.Node, error)) source.Source {
	return New(Config{Settings: *s, Nodes: nodes})
}

func (s *Settings) checkEndpoint() error {
	if s.Endpoint == "" {
		return nil
	}
	endpoint, err := url.Parse(s.Endpoint)
	switch {
	case err != nil || endpoint.Hostname() == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http":
		return errors.New("the endpoint must be a URL as in https://ec2.eu-central-1.amazonaws.com")
	case endpoint.User != nil || endpoint.RawQuery != "" || endpoint.Fragment != "":
		return errors.New("the endpoint must not have a user, a ? or a #: credentials are found as AWS' SDK finds them")
	case endpoint.Scheme == "http" && !loopback(endpoint.Hostname()):
		return fmt.Errorf("the endpoint %q must begin with https://, since requests have the token of a session in them; "+
			"http:// is for addresses of this machine, such as http://127.0.0.1:8000", s.Endpoint)
	}
	return nil
}

// loopback says whether the host is this machine.
func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }
