// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/balance"
)

// link puts a link between the server and kube-apiserver, and a kubeconfig for it into the server's place.
func (s *Server) link() (err error) {
	if s.Link, err = balance.NewLink(fmt.Sprintf("127.0.0.1:%d", s.cluster.apiServerPort())); err != nil {
		return err
	}
	config, err := clientcmd.LoadFromFile(s.kubeconfig)
	if err != nil {
		return fmt.Errorf("could not load kubeconfig: %w", err)
	}
	for _, cluster := range config.Clusters {
		cluster.Server = "https://" + s.Link.Address()
	}
	s.kubeconfig = s.cluster.layout.user(s.name)
	if err := clientcmd.WriteToFile(*config, s.kubeconfig); err != nil {
		return fmt.Errorf("could not write kubeconfig: %w", err)
	}
	return nil
}
