// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/servingcert"
)

// keepCertificate has the server serve with a certificate of its own, and returns who keeps it. If the options name a
// certificate already, which the library reads again when it changes, it does nothing and returns nil.
func keepCertificate(ctx context.Context, o *options.Options) (*servingcert.Keeper, error) {
	serving := &o.Recommended.SecureServing.ServerCert
	if serving.CertKey.CertFile != "" || serving.CertKey.KeyFile != "" {
		return nil, nil
	}
	keeper, err := newKeeper(o)
	if err != nil {
		return nil, err
	}
	if err := retryRefused(ctx, keeper.Prepare); err != nil {
		return nil, err
	}
	serving.GeneratedCert = keeper.Content()
	return keeper, nil
}

func newKeeper(o *options.Options) (*servingcert.Keeper, error) {
	config, err := loadConfig(o.Recommended.CoreAPI.CoreAPIKubeconfigPath)
	if err != nil {
		return nil, err
	}
	config.UserAgent += "/serving-certificate"
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for Secrets: %w", err)
	}
	apiServices, err := apiregistration.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("could not create a client for APIServices: %w", err)
	}
	return servingcert.New(servingcert.Config{
		Kube:            kube,
		APIServices:     apiServices,
		Service:         o.Registration.ServiceName(),
		APIServiceNames: append([]string{o.Registration.APIService}, o.Legacy.APIServices()...),
		Name:            o.Registration.ServerName(),
		Clock:           clock.RealClock{},
	}), nil
}
