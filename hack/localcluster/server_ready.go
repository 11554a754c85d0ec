// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	certutil "k8s.io/client-go/util/cert"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const (
	// requestTimeout is the timeout of one check whether the server is ready.
	requestTimeout = 5 * time.Second
	// steadyChecks is how many checks in a row must find the server ready. After the first
	// one, the aggregator may still report an older result, about the process before.
	steadyChecks = 2
)

// WaitReady waits until the server reports that it is ready, the aggregator finds it
// available, requests through the aggregator succeed, and kubectl finds the server's resources.
// It waits for two minutes at most. If the server ends meanwhile, the error has the end of its
// log.
func (s *Server) WaitReady(ctx context.Context) error {
	var last error
	ready := 0
	err := wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		if s.proc.Ended() {
			return false, s.cluster.failure(s.name)
		}
		ready++
		if last = s.checkReady(ctx); last != nil {
			ready = 0
		}
		return ready == steadyChecks, nil
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("server did not become ready, see %s: %w", s.LogPath(), errors.Join(err, last))
	}
	return err
}

// ReportsReady asks the server itself whether it is ready, and not the aggregator, which notices it later.
func (s *Server) ReportsReady(ctx context.Context) error {
	apiService, err := s.cluster.apiServices.Get(ctx, APIServiceName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("could not get APIService: %w", err)
	}
	return s.checkReadyz(ctx, apiService)
}

// checkReady asks the server itself first, because right after a restart, the aggregator
// still has the result for the process before.
func (s *Server) checkReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	apiService, err := s.cluster.apiServices.Get(ctx, APIServiceName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("could not get APIService: %w", err)
	}
	if err := s.checkReadyz(ctx, apiService); err != nil {
		return err
	}
	if err := s.cluster.checkAllAvailable(ctx); err != nil {
		return errors.Join(err, s.cluster.wakeAggregator(ctx))
	}
	err = s.cluster.client.Discovery().RESTClient().Get().AbsPath("/apis/maintenance.medik8s.io/v1beta1").Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("could not reach server through the aggregator: %w", err)
	}
	return s.cluster.checkDiscovered(ctx)
}

// checkReadyz trusts the CA bundle in the server's APIService, as the aggregator does.
func (s *Server) checkReadyz(ctx context.Context, apiService *apiregistrationv1.APIService) error {
	if len(apiService.Spec.CABundle) == 0 {
		return errors.New("APIService has no caBundle yet")
	}
	roots, err := certutil.NewPoolFromBytes(apiService.Spec.CABundle)
	if err != nil {
		return fmt.Errorf("could not parse caBundle of APIService: %w", err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs:    roots,
		ServerName: ServerName + "." + ServerNamespace + ".svc",
		MinVersion: tls.VersionTLS12,
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+s.Address()+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("could not ask server whether it is ready: %w", err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("could not ask server whether it is ready: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("server is not ready: %s", response.Status)
	}
	return nil
}
