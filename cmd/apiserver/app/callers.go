// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Where a cluster publishes the CAs that API servers know callers by.
const (
	callersConfigMap   = "extension-apiserver-authentication"
	clientCAKey        = "client-ca-file"
	requestHeaderCAKey = "requestheader-client-ca-file"
)

// callers are the CAs that the server knows its callers by, as far as the cluster publishes them.
type callers struct {
	published map[string]string
	// clientCA is for client certificates; nil if a flag names a file, or if the cluster is not asked.
	clientCA dynamiccertificates.CAContentProvider
}

// lookUpCallers reads what the cluster publishes, and has the options use callers.clientCA. Each request may take as long as
// the timeout.
func lookUpCallers(ctx context.Context, o *genericoptions.DelegatingAuthenticationOptions, timeout time.Duration) (callers, error) {
	if o.SkipInClusterLookup {
		return callers{}, nil
	}
	config, err := loadConfig(o.RemoteKubeConfigFile)
	if err != nil {
		return callers{}, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return callers{}, fmt.Errorf("could not use kubeconfig %q: %w", o.RemoteKubeConfigFile, err)
	}
	published, err := readCallers(ctx, client, timeout)
	if err != nil && !o.TolerateInClusterLookupFailure {
		return callers{}, unreachable(config.Host, err)
	}
	if err != nil {
		klog.FromContext(ctx).Error(err, "Callers with client certificates may be anonymous at first")
	}
	found := callers{published: published.Data}
	if o.ClientCert == (genericoptions.ClientCertAuthenticationOptions{}) {
		found.clientCA, err = dynamiccertificates.NewDynamicCAFromConfigMapController("client-ca", metav1.NamespaceSystem, callersConfigMap, clientCAKey, client)
		o.ClientCert.CAContentProvider = found.clientCA
	}
	return found, err
}

// readCallers returns an empty ConfigMap if the cluster publishes none.
func readCallers(ctx context.Context, client kubernetes.Interface, timeout time.Duration) (published corev1.ConfigMap, err error) {
	err = retryRefused(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		found, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, callersConfigMap, metav1.GetOptions{})
		if err == nil {
			published = *found
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return published, err
}

// awaited are the CAs without which the server does not know its callers.
func (c callers) awaited(authentication *genericapiserver.AuthenticationInfo) []dynamiccertificates.CAContentProvider {
	var awaited []dynamiccertificates.CAContentProvider
	if c.clientCA != nil && c.published[clientCAKey] != "" {
		awaited = append(awaited, c.clientCA)
	}
	if proxies := authentication.RequestHeaderConfig; proxies != nil && c.published[requestHeaderCAKey] != "" {
		awaited = append(awaited, proxies.CAContentProvider)
	}
	return awaited
}
