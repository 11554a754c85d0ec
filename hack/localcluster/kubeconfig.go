// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

// tokenLifetime is how long the token of a ServiceAccount's kubeconfig is valid.
const tokenLifetime = 365 * 24 * time.Hour

// writeKubeconfigs writes the kubeconfigs of the admin and of the control plane.
func (c *Cluster) writeKubeconfigs() error {
	for _, k := range []struct{ path, user, group string }{
		{c.layout.kubeconfig(), "admin", user.SystemPrivilegedGroup},
		{c.layout.config(binaries.KubeControllerManager), user.KubeControllerManager, ""},
		{c.layout.config(binaries.KubeScheduler), user.KubeScheduler, ""},
		// kwok acts for all kubelets at once, which the role of a kubelet does not allow.
		{c.layout.config(binaries.Kwok), kwokUser, user.SystemPrivilegedGroup},
	} {
		var groups []string
		if k.group != "" {
			groups = []string{k.group}
		}
		if err := c.writeUserKubeconfig(k.path, k.user, groups); err != nil {
			return err
		}
	}
	return nil
}

// UserKubeconfig writes a kubeconfig with a client certificate for any user and returns its
// path. The cluster's RBAC decides what the user may do.
func (c *Cluster) UserKubeconfig(name string, groups ...string) (path string, err error) {
	path = c.layout.user(name)
	return path, c.writeUserKubeconfig(path, name, groups)
}

// UserConfig returns the client configuration for any user, without a rate limit.
func (c *Cluster) UserConfig(name string, groups ...string) (*rest.Config, error) {
	path, err := c.UserKubeconfig(name, groups...)
	if err != nil {
		return nil, err
	}
	return loadConfig(path)
}

func loadConfig(path string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("could not load kubeconfig: %w", err)
	}
	config.QPS = -1 // the API server's own priority and fairness is enough
	return config, nil
}

func (c *Cluster) writeUserKubeconfig(path, user string, groups []string) error {
	authority, err := c.clientAuthority()
	if err != nil {
		return err
	}
	pair, err := authority.Client(user, groups...)
	if err != nil {
		return err
	}
	return c.writeKubeconfig(path, authority.Cert, user, &clientcmdapi.AuthInfo{
		ClientCertificateData: pair.Cert,
		ClientKeyData:         pair.Key,
	})
}

// ServiceAccountKubeconfig writes a kubeconfig with a token of a ServiceAccount,
// valid for a year, and returns its path.
func (c *Cluster) ServiceAccountKubeconfig(ctx context.Context, namespace, name string) (path string, err error) {
	expiration := int64(tokenLifetime / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &expiration}}
	request, err = c.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("could not get token of service account %s/%s: %w", namespace, name, err)
	}
	authority, err := c.clientAuthority()
	if err != nil {
		return "", err
	}
	username := serviceaccount.MakeUsername(namespace, name)
	path = c.layout.user(username)
	return path, c.writeKubeconfig(path, authority.Cert, username, &clientcmdapi.AuthInfo{Token: request.Status.Token})
}

func (c *Cluster) writeKubeconfig(path string, authorityCert []byte, user string, auth *clientcmdapi.AuthInfo) error {
	const cluster = "localcluster"
	config := clientcmdapi.Config{
		CurrentContext: cluster,
		Clusters: map[string]*clientcmdapi.Cluster{cluster: {
			Server:                   fmt.Sprintf("https://127.0.0.1:%d", c.apiServerPort()),
			CertificateAuthorityData: authorityCert,
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{user: auth},
		Contexts:  map[string]*clientcmdapi.Context{cluster: {Cluster: cluster, AuthInfo: user}},
	}
	if err := clientcmd.WriteToFile(config, path); err != nil {
		return fmt.Errorf("could not write kubeconfig of %s: %w", user, err)
	}
	return nil
}
