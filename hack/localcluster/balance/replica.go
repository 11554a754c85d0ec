// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// probeInterval is how often a replica is asked whether it is ready. A kubelet asks less often.
	probeInterval = 200 * time.Millisecond
	// probeTimeout is how long it may take to answer, as for a kubelet.
	probeTimeout = time.Second
)

// errNotReady is returned for connections to a replica that is not ready.
var errNotReady = errors.New("the replica is not ready")

// replica is one server behind a Balancer.
type replica struct {
	address string
	client  *http.Client
	ready   atomic.Bool
	conns   connections
}

func newReplica(address string) *replica {
	return &replica{address: address, client: &http.Client{
		Timeout: probeTimeout,
		// A kubelet does not look at the certificate either.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, //nolint:gosec // see above
	}}
}

// probe keeps ready up to date until ctx is done.
func (r *replica) probe(ctx context.Context) {
	defer r.client.CloseIdleConnections()
	wait.UntilWithContext(ctx, func(ctx context.Context) { r.ready.Store(r.isReady(ctx)) }, probeInterval)
}

func (r *replica) isReady(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+r.address+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	response, err := r.client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (r *replica) dial(ctx context.Context) (net.Conn, error) {
	if !r.ready.Load() {
		return nil, errNotReady
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.address)
	if err != nil {
		return nil, err
	}
	c, err := r.conns.add(conn)
	if err != nil {
		return nil, err
	}
	return c, nil
}
