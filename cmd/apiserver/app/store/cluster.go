// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/server/healthz"
	etcdmetrics "k8s.io/apiserver/pkg/storage/etcd3/metrics"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

const (
	// settleTimeout is how long CRDs and permissions that were just applied may take until they count, and the cluster
	// to answer at all.
	settleTimeout = 7 * time.Second
	// settleInterval is how often that is looked at.
	settleInterval = 500 * time.Millisecond
)

// clusterStore is the API of the cluster.
type clusterStore struct {
	client dynamic.Interface
	answer *lastAnswer

	sizes     *clusterstore.Sizes
	measuring sync.WaitGroup
	stop      context.CancelFunc
}

// openCluster finds out whether the cluster can be the store.
func openCluster(ctx context.Context, c Config) (*Store, error) {
	client, err := clusterstore.NewClient(c.Cluster)
	if err != nil {
		return nil, err
	}
	id, err := identifyCluster(ctx, c.Cluster, client)
	if err != nil {
		return nil, fmt.Errorf("could not store in the cluster: %w", err)
	}
	registerMetrics()
	s := &clusterStore{client: client, sizes: &clusterstore.Sizes{}}
	s.answer = &lastAnswer{clock: clock.RealClock{}, ask: func(ctx context.Context) error { return clusterstore.Ping(ctx, client) }}
	measured := clusterSpace{Sizes: s.sizes, client: client, quota: c.ClusterQuotaBytes}
	space := &Space{
		members: measured, names: []string{c.Cluster.Host}, reclaim: measured.reclaim, clock: clock.RealClock{},
		interval: clusterInterval, advice: adviceCluster,
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.measuring.Go(func() { space.run(ctx) })
	return &Store{ID: id, Space: space, kind: s}, nil
}

// identifyCluster waits until the cluster can be the store, and returns its ID.
func identifyCluster(ctx context.Context, config *rest.Config, client dynamic.Interface) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	if err := awaitCluster(ctx, config); err != nil {
		return "", err
	}
	return clusterstore.Identify(ctx, client)
}

// awaitCluster waits until the cluster can be the store. It returns what is missing, if that does not come soon.
func awaitCluster(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 100, 100 // it is asked about 50 things in a row, and 5 a second would take all the time
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var missing error
	err = wait.PollUntilContextCancel(ctx, settleInterval, true, func(ctx context.Context) (bool, error) {
		missing = clusterstore.CheckCluster(ctx, client.Discovery(), client.AuthorizationV1().SelfSubjectAccessReviews())
		return missing == nil, nil
	})
	if missing != nil {
		return missing
	}
	return err
}

func (s *clusterStore) restOptions(getter generic.RESTOptionsGetter) generic.RESTOptionsGetter {
	// The library would connect to an etcd to measure it.
	etcdmetrics.SetStorageMonitorGetter(func() ([]etcdmetrics.Monitor, error) { return nil, nil })
	return &clusterOptions{RESTOptionsGetter: getter, client: s.client, sizes: s.sizes}
}

func (s *clusterStore) checks() []healthz.HealthChecker {
	return []healthz.HealthChecker{healthz.NamedCheck("store", s.answer.check)}
}

// failed implements kind. A cluster that does not answer may do so later.
func (s *clusterStore) failed() <-chan error { return nil }

// close stops the measuring, and waits until that is done.
func (s *clusterStore) close() {
	s.stop()
	s.measuring.Wait()
}

// clusterSpace measures what this server stores in the cluster. It stands in for a member of an etcd, so that Space goes by
// its quota.
type clusterSpace struct {
	*clusterstore.Sizes
	client dynamic.Interface
	quota  int64
}

// Status implements members.
func (c clusterSpace) Status(context.Context, string) (*clientv3.StatusResponse, error) {
	return &clientv3.StatusResponse{DbSizeInUse: c.Total(), DbSizeQuota: c.quota}, nil
}

// reclaim counts anew where the store seems to be nearly full: a deletion may have been missed.
func (c clusterSpace) reclaim(ctx context.Context, try bool) (tried bool, err error) {
	if seems := (usage{used: c.Total(), quota: c.quota}); !try || !seems.nearlyFull() {
		return false, nil
	}
	return true, c.Recount(ctx, c.client)
}
