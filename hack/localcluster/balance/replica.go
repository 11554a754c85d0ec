// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// probeInterval is how often a replica is asked whether it is ready. A kubelet asks less often.
	probeInterval = 200 * time.Millisecond
	// probeTimeout is how long it may take to answer, as for a kubelet.
	probeTimeout = time.Second
	// readyFor is how long a replica that was ready may be late, or say that something fails, and still count as
	// ready: three probes of a kubelet, by the chart. One that is ending does not, as a pod that is being
	// deleted, nor one that refuses connections.
	readyFor = 15 * time.Second
	// ending is what a replica says that is shutting down.
	ending = "[-]shutdown"
)

// errNotReady is returned for connections to a replica that is not ready.
var errNotReady = errors.New("the replica is not ready")

// replica is one server behind a Balancer.
type replica struct {
	address string
	client  *http.Client
	ready   atomic.Bool
	asOf    time.Time // when it last said that it is ready; zero: it has ended since, or is about to
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

// isReady asks the replica once.
func (r *replica) isReady(ctx context.Context) bool {
	code, said, err := r.readyz(ctx)
	switch {
	case err == nil && code == http.StatusOK:
		r.asOf = time.Now()
		return true
	case err != nil && !utilnet.IsTimeout(err), strings.Contains(said, ending):
		r.asOf = time.Time{}
		return false
	default:
		return time.Since(r.asOf) < readyFor
	}
}

func (r *replica) readyz(ctx context.Context) (code int, said string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+r.address+"/readyz", http.NoBody)
	if err != nil {
		return 0, "", err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), errors.Join(err, response.Body.Close())
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
