// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/medik8s/maintenance-apiserver/pkg/integrations"
)

// requestTimeout bounds each request to OpenStack.
const requestTimeout = 30 * time.Second

// cloud is a project of OpenStack, with a token for it.
type cloud struct {
	compute   *gophercloud.ServiceClient
	transport *http.Transport
}

// logIn gets a token of Keystone.
func (s *Settings) logIn(ctx context.Context, fence integrations.Fence) (*cloud, error) {
	access, err := readAccess(s.CloudConfig)
	if err != nil {
		return nil, err
	}
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	provider, err := openstack.NewClient(access.IdentityEndpoint)
	if err != nil {
		return nil, errors.New("the auth-url of OpenStack is no URL")
	}
	provider.HTTPClient = http.Client{Transport: fence.Wrap(transport), Timeout: requestTimeout}
	c := &cloud{transport: transport}
	if err := openstack.AuthenticateV3(ctx, provider, &access.AuthOptions, gophercloud.EndpointOpts{}); err != nil {
		c.close()
		return nil, problem("could not log in at OpenStack", err)
	}
	if c.compute, err = openstack.NewComputeV2(provider, gophercloud.EndpointOpts{Region: access.region}); err != nil {
		c.close()
		return nil, problem(fmt.Sprintf("could not find the compute service of OpenStack in region %q", access.region), err)
	}
	return c, nil
}

func (s *Settings) transport() (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CAFile != "" {
		content, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("could not read the CAs of OpenStack: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(content) {
			return nil, errors.New("the file with the CAs of OpenStack has no certificate")
		}
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, ForceAttemptHTTP2: true}, nil
}

func (c *cloud) close() { c.transport.CloseIdleConnections() }

// deleteServer deletes the server of that name, and says whether it did. It does nothing if there is none, or if it is
// being deleted already, and fails if there are several: nobody knows which of them is meant.
func (c *cloud) deleteServer(ctx context.Context, name string) (deleted bool, err error) {
	found, err := c.serversNamed(ctx, name)
	switch {
	case err != nil || len(found) == 0:
		return false, err
	case len(found) > 1:
		return false, fmt.Errorf("OpenStack has %d servers with the name %s, and which one is the node's is not known: delete it yourself", len(found), name)
	case found[0].TaskState == "deleting":
		return false, nil
	}
	err = servers.Delete(ctx, c.compute, found[0].ID).ExtractErr()
	if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return false, problem("could not delete the server in OpenStack", err)
	}
	return true, nil
}

// serversNamed returns the servers of that name. The name that OpenStack is asked for is a pattern, which would match
// parts of names, too.
func (c *cloud) serversNamed(ctx context.Context, name string) ([]servers.Server, error) {
	pages, err := servers.List(c.compute, servers.ListOpts{Name: "^" + regexp.QuoteMeta(name) + "$"}).AllPages(ctx)
	if err != nil {
		return nil, problem("could not list the servers in OpenStack", err)
	}
	found, err := servers.ExtractServers(pages)
	if err != nil {
		return nil, errors.New("could not read the list of servers of OpenStack")
	}
	return slices.DeleteFunc(found, func(s servers.Server) bool { return s.Name != name || s.Status == "DELETED" }), nil
}

// problem says what failed, without answers, which may have anything in them.
func problem(what string, err error) error {
	var code gophercloud.ErrUnexpectedResponseCode
	var call *url.Error
	switch {
	case errors.As(err, &code) && code.Actual == http.StatusUnauthorized:
		return fmt.Errorf("%s: the credentials were not accepted", what)
	case errors.As(err, &code):
		return fmt.Errorf("%s: the answer was %d %s", what, code.Actual, http.StatusText(code.Actual))
	case errors.As(err, &call):
		return fmt.Errorf("%s: %w", what, call.Err)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
