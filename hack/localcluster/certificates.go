// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"k8s.io/client-go/util/keyutil"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/certs"
)

// The names of the files in the certificate directory, without .crt and .key.
const (
	clusterAuthority    = "ca"
	frontProxyAuthority = "front-proxy-ca"
	apiServerCert       = "kube-apiserver"
	serviceAccountKey   = "service-account"
	// frontProxyUser is the common name of the aggregator's client certificate, which our
	// server checks.
	frontProxyUser = "front-proxy-client"
)

// ensureCertificates makes the cluster's certificates and keys, once. They are kept when
// the cluster is repaired, so that what they have signed stays valid.
func (c *Cluster) ensureCertificates() error {
	// This file is written last, so if it exists, all exist.
	if _, err := os.Stat(c.layout.certs(serviceAccountKey + ".key")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.makeClusterCertificates(); err != nil {
		return err
	}
	if err := c.makeFrontProxyCertificates(); err != nil {
		return err
	}
	return c.makeServiceAccountKey()
}

func (c *Cluster) makeClusterCertificates() error {
	authority, err := certs.NewAuthority("localcluster")
	if err != nil {
		return err
	}
	serving, err := authority.Server(
		[]string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		[]net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
	)
	if err != nil {
		return err
	}
	return errors.Join(c.writePair(clusterAuthority, authority.Pair), c.writePair(apiServerCert, serving))
}

func (c *Cluster) makeFrontProxyCertificates() error {
	authority, err := certs.NewAuthority("localcluster-front-proxy")
	if err != nil {
		return err
	}
	client, err := authority.Client(frontProxyUser)
	if err != nil {
		return err
	}
	return errors.Join(c.writePair(frontProxyAuthority, authority.Pair), c.writePair(frontProxyUser, client))
}

func (c *Cluster) makeServiceAccountKey() error {
	content, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return fmt.Errorf("could not make key of service accounts: %w", err)
	}
	return writeFile(c.layout.certs(serviceAccountKey+".key"), content)
}

// clientAuthority returns the authority that signs the cluster's users.
func (c *Cluster) clientAuthority() (*certs.Authority, error) {
	cert, certErr := os.ReadFile(c.layout.certs(clusterAuthority + ".crt"))
	key, keyErr := os.ReadFile(c.layout.certs(clusterAuthority + ".key"))
	if err := errors.Join(certErr, keyErr); err != nil {
		return nil, fmt.Errorf("could not read authority of cluster: %w", err)
	}
	return certs.ParseAuthority(certs.Pair{Cert: cert, Key: key})
}

func (c *Cluster) writePair(name string, pair certs.Pair) error {
	return errors.Join(
		writeFile(c.layout.certs(name+".crt"), pair.Cert),
		writeFile(c.layout.certs(name+".key"), pair.Key),
	)
}

func writeFile(path string, content []byte) error {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("could not write file of cluster: %w", err)
	}
	return nil
}
