// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// askTimeout is how long a replica may take to say whether it leads. It gathers all of its metrics for that, which
// takes a server with the race detector a second and more on a busy machine.
const askTimeout = 10 * time.Second

// leads finds the metric of a replica that leads.
var leads = regexp.MustCompile(`(?m)^leader_election_master_status\{name="maintenance-apiserver"\} 1$`)

// leader waits until one replica, and no other, says that it leads, and returns it.
func (g *group) leader(t *testing.T) *localcluster.Server {
	t.Helper()
	var leader *localcluster.Server
	env.Eventually(t, "one replica leads", func(ctx context.Context) string {
		leader = nil
		for _, s := range g.Replicas.Servers {
			is, err := g.isLeader(ctx, s)
			switch {
			case err != nil:
				return err.Error()
			case is && leader != nil:
				return fmt.Sprintf("%s and %s lead", leader.Name(), s.Name())
			case is:
				leader = s
			}
		}
		if leader == nil {
			return "none leads"
		}
		return ""
	})
	return leader
}

func (g *group) isLeader(ctx context.Context, s *localcluster.Server) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	config, err := s.Config(ctx)
	if err != nil {
		return false, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return false, err
	}
	metrics, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	return leads.Match(metrics), err
}

// others are the replicas but one.
func (g *group) others(but *localcluster.Server) []*localcluster.Server {
	var others []*localcluster.Server
	for _, s := range g.Replicas.Servers {
		if s != but {
			others = append(others, s)
		}
	}
	return others
}

// acquired is the time when the replica that leads took the lease.
func (g *group) acquired(t *testing.T) time.Time {
	t.Helper()
	lease, err := g.Kube.CoordinationV1().Leases(localcluster.ServerNamespace).Get(t.Context(), localcluster.ServerName, metav1.GetOptions{})
	if err != nil || lease.Spec.AcquireTime == nil {
		t.Fatalf("could not see when the lease was taken: %v, %v", lease, err)
	}
	return lease.Spec.AcquireTime.Time
}
