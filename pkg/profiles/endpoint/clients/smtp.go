// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"context"
	"net"
	"strconv"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

// SMTP implements endpoint.Endpoints.
func (c *Clients) SMTP(ctx context.Context, name string) (*endpoint.SMTP, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if e.Spec.SMTP == nil {
		return nil, unusable(name, "it is no mail server")
	}
	made, err := c.server(e)
	if err != nil {
		return nil, err
	}
	if made.Authentication == v1beta1.SMTPNoAuthentication {
		return made, nil
	}
	if made.Encryption == v1beta1.SMTPUnencrypted {
		return nil, unusable(name, "its credentials would be sent without encryption: set tls to StartTLS or TLS")
	}
	values, err := c.secrets.of(ctx, e)
	if err != nil {
		return nil, err
	}
	made.Username, made.Password = values[keyUsername], values[keyPassword]
	return made, need(e, values, keyUsername, keyPassword)
}

// server returns the mail server of an endpoint, without credentials.
func (c *Clients) server(e *v1beta1.MaintenanceEndpoint) (*endpoint.SMTP, error) {
	host, digits, err := net.SplitHostPort(e.Spec.SMTP.Address)
	port, notNumber := strconv.ParseUint(digits, 10, 16)
	if err != nil || notNumber != nil || host == "" {
		return nil, unusable(e.Name, "its address is no name with a port, such as mail.example.com:587")
	}
	config, err := tlsConfig(e.Name, e.Spec.CABundle)
	if err != nil {
		return nil, err
	}
	config.ServerName = host
	return &endpoint.SMTP{
		Host: host, Port: int(port), TLS: config, Timeout: timeoutOf(e), Dial: c.dial,
		Encryption: cmp.Or(e.Spec.SMTP.TLS, v1beta1.SMTPStartTLS), Authentication: authenticationOf(e),
	}, nil
}

func authenticationOf(e *v1beta1.MaintenanceEndpoint) v1beta1.SMTPAuthentication {
	switch {
	case e.Spec.SMTP.Auth != "":
		return e.Spec.SMTP.Auth
	case e.Spec.SecretRef != nil:
		return v1beta1.SMTPPlain
	default:
		return v1beta1.SMTPNoAuthentication
	}
}
