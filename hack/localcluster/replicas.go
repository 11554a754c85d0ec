// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"cmp"
	"context"
	"fmt"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/balance"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// balancerName is the name of the balancer's process.
const balancerName = binaries.MaintenanceAPIServer + "-balancer"

// ReplicasOptions says how to run several replicas of our server.
type ReplicasOptions struct {
	// Server is how each replica runs. Port is the balancer's, and Store is StoreCluster by default. Every replica
	// has a data directory of its own.
	Server ServerOptions
	// Count is how many replicas there are, at least one.
	Count int
	// BalancerCommand is a command that runs Balance in a process of its own, to which the addresses are
	// appended, the balancer's first. Without it, the calling process balances.
	BalancerCommand []string
	// Linked lets tests cut a replica off from kube-apiserver: see Server.Link. The calling process forwards.
	Linked bool
}

// Replicas are several processes of our server behind a balancer, as the pods of a Deployment are behind
// a Service. They are named maintenance-apiserver-1 and so on, which is also what their user agents begin
// with. So the audit log of kube-apiserver tells which one did something.
type Replicas struct {
	// Servers are the replicas. Each can be killed and started by itself.
	Servers []*Server
	// Balancer is what the aggregator reaches; nil if it runs in a process of its own.
	Balancer *balance.Balancer

	cluster *Cluster
	options ReplicasOptions
	port    int // the balancer's
}

// StartReplicas registers and starts replicas of our server, and waits until each is ready and they serve
// through the aggregator. What runs already with these options is not restarted. A single server is ended
// before.
func (c *Cluster) StartReplicas(ctx context.Context, options ReplicasOptions) (*Replicas, error) {
	r, err := c.newReplicas(ctx, options)
	if err == nil {
		err = r.start(ctx)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (c *Cluster) newReplicas(ctx context.Context, options ReplicasOptions) (*Replicas, error) {
	options.Server.Store = cmp.Or(options.Server.Store, StoreCluster)
	r := &Replicas{cluster: c, options: options}
	if err := options.validate(); err != nil {
		return r, err
	}
	if err := c.stopServersBut(ctx, append(r.names(), balancerName)...); err != nil {
		return r, err
	}
	if err := r.choosePorts(ctx); err != nil {
		return r, err
	}
	if err := c.register(ctx, r.port, options.Server); err != nil {
		return r, err
	}
	return r, r.makeServers(ctx)
}

// makeServers makes the replicas without starting them.
func (r *Replicas) makeServers(ctx context.Context) error {
	kubeconfig, err := r.cluster.serverKubeconfig(ctx)
	if err != nil {
		return err
	}
	for _, name := range r.names() {
		server, err := r.newServer(name, kubeconfig)
		if err != nil {
			return err
		}
		r.Servers = append(r.Servers, server)
	}
	return nil
}

func (o ReplicasOptions) validate() error {
	if o.Count < 1 {
		return fmt.Errorf("there must be at least one replica, not %d", o.Count)
	}
	return checkStore(o.Server.Store, o.Count)
}

// names are the names of the replicas.
func (r *Replicas) names() []string {
	names := make([]string, 0, r.options.Count)
	for i := range r.options.Count {
		names = append(names, fmt.Sprintf("%s-%d", binaries.MaintenanceAPIServer, i+1))
	}
	return names
}

// choosePorts keeps the ports of replicas that there were before, so that those that run need no restart.
func (r *Replicas) choosePorts(ctx context.Context) (err error) {
	if r.port = r.options.Server.Port; r.port == 0 {
		r.port = r.cluster.serverPort()
	}
	if r.port == 0 {
		if r.port, err = process.FreePort(); err != nil {
			return err
		}
	}
	return r.cluster.locked(ctx, func(context.Context) error {
		r.cluster.mu.Lock()
		defer r.cluster.mu.Unlock()
		return r.cluster.state.replicaPorts(r.names())
	})
}

func (r *Replicas) newServer(name, kubeconfig string) (*Server, error) {
	options := r.options.Server
	options.DataDir, options.Port = "", r.cluster.replicaPort(name)
	options, err := options.complete(r.cluster, name)
	if err != nil {
		return nil, err
	}
	s := &Server{cluster: r.cluster, name: name, options: options, kubeconfig: kubeconfig, fixedPort: true}
	if r.options.Linked {
		err = s.link()
	}
	return s, err
}

// start starts all replicas at once, behind a balancer that runs already.
func (r *Replicas) start(ctx context.Context) error {
	if err := r.balance(ctx); err != nil {
		return err
	}
	var starts []func() error
	for _, s := range r.Servers {
		starts = append(starts, func() error { return s.Start(ctx) })
	}
	return utilerrors.AggregateGoroutines(starts...)
}

// balance starts the balancer.
func (r *Replicas) balance(ctx context.Context) (err error) {
	addresses := make([]string, 0, len(r.Servers))
	for _, s := range r.Servers {
		addresses = append(addresses, s.Address())
	}
	listen := fmt.Sprintf("127.0.0.1:%d", r.port)
	if len(r.options.BalancerCommand) == 0 {
		r.Balancer, err = balance.Start(listen, addresses...)
		return err
	}
	command := append(append([]string{}, r.options.BalancerCommand...), listen)
	return r.cluster.locked(ctx, func(ctx context.Context) error {
		_, err := r.cluster.ensureComponent(ctx, component{
			name: balancerName, binary: command[0], args: append(command[1:], addresses...),
		})
		return err
	})
}

// Close ends the balancer and the links of the calling process. The replicas go on.
func (r *Replicas) Close() {
	if r.Balancer != nil {
		r.Balancer.Close()
	}
	for _, s := range r.Servers {
		if s.Link != nil {
			s.Link.Close()
		}
	}
}
