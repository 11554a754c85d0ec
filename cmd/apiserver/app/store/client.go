// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"crypto/tls"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// clientConfig is how etcd is reached.
func clientConfig(backend *storagebackend.TransportConfig) (clientv3.Config, error) {
	tlsConfig, err := clientTLS(backend)
	return clientv3.Config{
		Endpoints: backend.ServerList,
		TLS:       tlsConfig,
		Logger:    zap.NewNop(), // its retries are noise; the outcome is in the error
	}, err
}

func clientTLS(backend *storagebackend.TransportConfig) (*tls.Config, error) {
	info := transport.TLSInfo{
		CertFile:      backend.CertFile,
		KeyFile:       backend.KeyFile,
		TrustedCAFile: backend.TrustedCAFile,
	}
	if info.Empty() && info.TrustedCAFile == "" {
		return nil, nil
	}
	return info.ClientConfig()
}
