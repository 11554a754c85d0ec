// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/leadership"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/server"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/gates"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/promquery"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/authorization"
)

// Run runs the server until ctx ends. The options must have been completed and validated.
// When Run returns, everything that it started has ended.
func Run(ctx context.Context, o *options.Options) error {
	closeRecord, err := openCrashRecord(ctx, o.Profiles.CrashRecord)
	if err != nil {
		return err
	}
	defer closeRecord()
	found, err := discover(ctx, o.Recommended.CoreAPI.CoreAPIKubeconfigPath, reachTimeout)
	if err != nil {
		return err
	}
	o.Recommended.Admission.DisablePlugins = append(o.Recommended.Admission.DisablePlugins, found.unservedPlugins...)
	callers, err := lookUpCallers(ctx, o.Recommended.Authentication, reachTimeout)
	if err != nil {
		return err
	}

	st, err := openStore(ctx, o)
	if err != nil {
		return err
	}
	defer st.Close()

	keeper, err := keepCertificate(ctx, o)
	if err != nil {
		return err
	}
	config, err := newConfig(o, st, keeper, callers)
	if err != nil {
		return err
	}
	config.OpenShift = found.openShift
	if config.Drainer.Server, err = ownServer(ctx, config.Drainer.Kube, o.Registration.OwnPod); err != nil {
		return err
	}
	srv, err := config.Complete().New()
	if err != nil {
		return err
	}
	return runWhileStoreRuns(ctx, st, srv)
}

// openCrashRecord has it noted what is being evaluated, and what the process before died of evaluated no more.
func openCrashRecord(ctx context.Context, path string) (closeRecord func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	of, died, err := crashguard.Process.Open(path)
	if err != nil {
		return nil, err
	}
	if died {
		klog.FromContext(ctx).Error(nil, "The process before died while it evaluated a text of a user, which is evaluated no more",
			"text", of.Text, "digest", of.Digest, "began", of.Began)
	}
	stop := context.AfterFunc(ctx, crashguard.Process.End)
	return func() {
		stop()
		_ = crashguard.Process.Close()
	}, nil
}

// openStore opens the store that the options name.
func openStore(ctx context.Context, o *options.Options) (*store.Store, error) {
	cluster, err := loadConfig(o.Recommended.CoreAPI.CoreAPIKubeconfigPath)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Config{
		Type: o.Store.Type, Backend: &o.Recommended.Etcd.StorageConfig, Embedded: o.Store.Embedded(), Cluster: cluster,
		ClusterQuotaBytes: o.Store.ClusterQuotaBytes,
	})
}

// errStoreStopped ends the server when its store stops: without a store every request would
// hang, and a restart may help.
var errStoreStopped = errors.New("the store stopped by itself")

// runWhileStoreRuns serves until ctx ends or the store stops.
func runWhileStoreRuns(ctx context.Context, st *store.Store, srv *server.Server) error {
	ctx, stop := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case err := <-st.Failed():
			stop(fmt.Errorf("%w: %w", errStoreStopped, err))
		case <-ctx.Done():
		}
	})
	err := srv.Run(ctx)
	stop(nil)
	watching.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, errStoreStopped) {
		return errors.Join(cause, err)
	}
	return err
}

// newConfig makes the server's configuration from the options. It binds the port.
func newConfig(o *options.Options, st *store.Store, keeper *servingcert.Keeper, callers callers) (*server.Config, error) {
	generic := server.NewGenericConfig()
	o.Requests.ApplyTo(&generic.Config)
	if err := o.Recommended.ApplyTo(generic); err != nil {
		return nil, err
	}
	generic.ClientConfig.UserAgent = userAgent()
	generic.RESTOptionsGetter = st.RESTOptions(generic.RESTOptionsGetter)
	generic.AddReadyzChecks(st.Checks()...)
	elector, err := newElector(generic.ClientConfig, o)
	if err != nil {
		return nil, err
	}
	kube, kinds, err := newDrainerClients(generic.ClientConfig, o.Drainer, elector)
	if err != nil {
		return nil, err
	}
	cluster, err := metadata.NewForConfig(generic.ClientConfig)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for CRDs: %w", err)
	}
	prometheus, err := newPrometheus(o.Prometheus)
	if err != nil {
		return nil, err
	}
	return &server.Config{
		Generic:    generic,
		AwaitedCAs: callers.awaited(&generic.Authentication),
		Keeper:     keeper,
		Drainer: drainer.Config{
			Kube:              kube,
			Dynamic:           kinds,
			StoreID:           st.ID,
			Taints:            o.Drainer.ParsedTaints(),
			EvictionsInFlight: o.Drainer.EvictionsInFlight,
			OperatorEvents:    o.Legacy.NodeMaintenances(),
			Gates:             nodeLeaseGates(o.NodeLeases, kube),
		},
		Leadership:         elector,
		Space:              st.Space,
		ControlPlaneQuorum: o.Drainer.ControlPlaneQuorum,
		Prometheus:         prometheus,
		Profiles: server.ProfilesConfig{
			Label: o.Profiles.Label, SecretNamespace: o.Profiles.SecretNamespace, AllowLoopback: o.Profiles.AllowLoopback,
		},
		Rights:       authorization.ServerRights{DeletePods: o.Drainer.AllowForce, NodeKeys: o.Profiles.NodeKeys},
		Integrations: server.IntegrationsConfig{VSphere: o.Integrations.VSphereSettings(), Kubernikus: o.Integrations.KubernikusSettings()},
		CloudEvents: server.CloudEventsConfig{
			Clouds: o.CloudEvents.Clouds(), Interval: o.CloudEvents.Interval, MachineAPI: o.MachineAPI.Enabled(),
		},
		SAP: server.SAPConfig{
			Mirrors: o.SAP.Mirrors, Namespace: o.SAP.Namespace, Info: o.SAP.Info, InfoLabels: o.SAP.InfoLabels,
		},
		Legacy:   server.LegacyConfig{Versions: o.Legacy.Versions(), Cluster: cluster},
		Shutdown: server.ShutdownConfig{RequestsGracePeriod: o.Requests.ShutdownGracePeriod},
	}, nil
}

// newDrainerClients returns the drainer's client for the cluster, and one for kinds of other projects. If there is an
// elector, they write only while it leads.
func newDrainerClients(
	config *rest.Config, o *options.DrainerOptions, elector *leadership.Elector,
) (kubernetes.Interface, dynamic.Interface, error) {
	config = rest.CopyConfig(config)
	if elector != nil {
		config.Wrap(elector.Fence().Wrap)
	}
	config.QPS, config.Burst = o.KubeAPIQPS, o.KubeAPIBurst
	config.UserAgent += "/drainer"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	kinds, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("could not create a client for kinds of other projects: %w", err)
	}
	return client, kinds, nil
}

// newPrometheus returns a client of the Prometheus server that gates ask; nil if there is none.
func newPrometheus(o *options.PrometheusOptions) (gates.Querier, error) {
	if o.URL == "" {
		return nil, nil
	}
	return promquery.New(o.Config())
}
