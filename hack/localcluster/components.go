// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
)

const (
	serviceAccountIssuer = "https://kubernetes.default.svc"
	serviceCIDR          = "10.96.0.0/16"
	podCIDR              = "10.244.0.0/16"
	// KubeletLabel is on the nodes whose simulated kubelet is stopped, with the value
	// KubeletStopped.
	KubeletLabel = "localcluster/kubelet"
	// KubeletStopped is the value of KubeletLabel.
	KubeletStopped = "stopped"
	// longestMonitorPeriod is how long a node stays tainted at most after it reports again.
	longestMonitorPeriod = 10 * time.Second
)

// etcd listens on unix sockets only. Unless it is durable, it does not wait for the disk,
// and after a power cut a new cluster must be started.
func (c *Cluster) etcd() component {
	args := []string{
		"--name=localcluster",
		"--data-dir=" + c.layout.data("etcd"),
		"--listen-client-urls=" + c.socketURL("client"),
		"--advertise-client-urls=http://localhost:2379", // required, and must not be a socket, but is not used
		"--listen-peer-urls=" + c.socketURL("peer"),
		"--auto-compaction-mode=periodic",
		"--auto-compaction-retention=5m",
		"--log-level=warn",
	}
	if !c.options.Durable {
		args = append(args, "--unsafe-no-fsync")
	}
	return component{name: binaries.Etcd, binary: c.binary(binaries.Etcd), args: args}
}

func (c *Cluster) socketURL(name string) string {
	return "unix://" + filepath.Join(c.state.SocketDir, name)
}

func (c *Cluster) kubeAPIServer() component {
	args := []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.state.APIServerPort),
		// The Service kubernetes would get an endpoint on loopback, which Kubernetes does
		// not allow.
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + c.socketURL("client"),
		"--service-cluster-ip-range=" + serviceCIDR,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--audit-policy-file=" + c.layout.config(auditPolicyFile),
		"--audit-log-path=" + c.layout.auditLog(),
		"--audit-log-maxsize=1000", // one file to read, not the newest of many
		"--profiling=false",
	}
	return component{
		name:    binaries.KubeAPIServer,
		binary:  c.binary(binaries.KubeAPIServer),
		args:    append(args, c.authenticationArgs()...),
		configs: []string{c.layout.config(auditPolicyFile)},
	}
}

func (c *Cluster) authenticationArgs() []string {
	return []string{
		"--client-ca-file=" + c.layout.certs(clusterAuthority+".crt"),
		"--tls-cert-file=" + c.layout.certs(apiServerCert+".crt"),
		"--tls-private-key-file=" + c.layout.certs(apiServerCert+".key"),
		"--service-account-issuer=" + serviceAccountIssuer,
		"--service-account-signing-key-file=" + c.layout.certs(serviceAccountKey+".key"),
		"--service-account-key-file=" + c.layout.certs(serviceAccountKey+".key"),
		"--requestheader-client-ca-file=" + c.layout.certs(frontProxyAuthority+".crt"),
		"--requestheader-allowed-names=" + frontProxyUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + c.layout.certs(frontProxyUser+".crt"),
		"--proxy-client-key-file=" + c.layout.certs(frontProxyUser+".key"),
	}
}

// kubeControllerManager runs all default controllers, each as its own
// ServiceAccount, as in a real cluster.
func (c *Cluster) kubeControllerManager() component {
	return component{
		name:   binaries.KubeControllerManager,
		binary: c.binary(binaries.KubeControllerManager),
		args: []string{
			"--kubeconfig=" + c.layout.config(binaries.KubeControllerManager),
			"--secure-port=0",
			"--leader-elect=false",
			"--use-service-account-credentials=true",
			"--service-account-private-key-file=" + c.layout.certs(serviceAccountKey+".key"),
			"--root-ca-file=" + c.layout.certs(clusterAuthority+".crt"),
			"--cluster-signing-cert-file=" + c.layout.certs(clusterAuthority+".crt"),
			"--cluster-signing-key-file=" + c.layout.certs(clusterAuthority+".key"),
			// Five missed renewals, so that no node becomes unreachable because the machine
			// is busy.
			"--node-monitor-grace-period=" + (c.options.NodeLease * 5 / 4).String(),
			"--node-monitor-period=" + min(c.options.NodeLease/20, longestMonitorPeriod).String(),
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
			"--profiling=false",
		},
	}
}

func (c *Cluster) kubeScheduler() component {
	scheduler := component{
		name:   binaries.KubeScheduler,
		binary: c.binary(binaries.KubeScheduler),
		args: []string{
			"--kubeconfig=" + c.layout.config(binaries.KubeScheduler),
			"--secure-port=0",
			"--leader-elect=false",
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
			"--profiling=false",
		},
	}
	if c.options.PackPods {
		scheduler.args = []string{"--config=" + c.layout.config(schedulerFile), "--secure-port=0"}
	}
	return scheduler
}

// kwok simulates the kubelets. Node port 0 makes it listen on no port.
func (c *Cluster) kwok() component {
	return component{
		name:   binaries.Kwok,
		binary: c.binary(binaries.Kwok),
		args: []string{
			"--kubeconfig=" + c.layout.config(binaries.Kwok),
			"--config=" + c.layout.config(stagesFile),
			"--manage-all-nodes=false",
			"--manage-nodes-with-label-selector=" + KubeletLabel + "!=" + KubeletStopped,
			"--cidr=" + podCIDR,
			"--node-port=0",
			fmt.Sprintf("--node-lease-duration-seconds=%d", int(c.options.NodeLease.Seconds())),
		},
		configs:     []string{c.layout.config(stagesFile)},
		beforeStart: c.dropNodeLeases,
	}
}
