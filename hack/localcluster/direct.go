// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Config returns the admin's client configuration for the server itself, past the aggregator and the
// balancer. It trusts the server by the bundle in its APIService.
func (s *Server) Config(ctx context.Context) (*rest.Config, error) {
	apiService, err := s.cluster.apiServices.Get(ctx, APIServiceName, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not get APIService: %w", err)
	}
	config := s.cluster.Config()
	config.Host = "https://" + s.Address()
	config.CAData, config.CAFile = apiService.Spec.CABundle, ""
	config.ServerName = ServerName + "." + ServerNamespace + ".svc"
	return config, nil
}
