// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

const (
	startTimeout = 3 * time.Minute
	stopTimeout  = time.Minute
	// nodeLease outlasts every measurement: the crowd's nodes have no kubelet that
	// would renew it.
	nodeLease = 4 * time.Hour
	// toolsNamespace holds the ServiceAccounts of the tools.
	toolsNamespace = "bench-tools"
)

// bench is a control plane with our server, and the tools that are measured on
// it. Each tool is a ServiceAccount of its own, as our server is one: so the
// audit log tells them apart, and the API server's fairness treats them alike.
type bench struct {
	options *options
	cluster *localcluster.Cluster
	// servers are all processes of our server, and server is the first.
	servers []*localcluster.Server
	server  *localcluster.Server
	// replicas are the servers if there are several, else nil.
	replicas *localcluster.Replicas
	// kube is the admin's client, for everything that is not measured.
	kube  kubernetes.Interface
	tools map[string]tool
	// namespaces counts the workloads' namespaces, none of which is used twice.
	namespaces int
}

func newBench(ctx context.Context, o *options) (*bench, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	cluster, err := localcluster.Start(ctx, localcluster.Options{Log: os.Stderr, Durable: true, NodeLease: nodeLease, PackPods: o.roll.pack})
	if err != nil {
		return nil, fmt.Errorf("could not start the control plane: %w", err)
	}
	b := &bench{options: o, cluster: cluster, kube: cluster.Client()}
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := b.cluster.Stop(ctx)
	if b.replicas != nil {
		b.replicas.Close()
	}
	return err
}

func (b *bench) prepare(ctx context.Context) error {
	if err := b.cluster.ApplyChart(ctx); err != nil {
		return fmt.Errorf("could not apply the chart: %w", err)
	}
	if err := b.startServers(ctx); err != nil {
		return err
	}
	if err := b.createUsers(ctx); err != nil {
		return err
	}
	return b.createTools(ctx)
}

// createUsers makes the tools' ServiceAccounts, which may do everything by way
// of RBAC.
func (b *bench) createUsers(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: toolsNamespace}}
	if _, err := b.kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not create the tools' namespace: %w", err)
	}
	for _, name := range []string{toolOurs, toolKubectl, toolFloor} {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := b.kube.CoreV1().ServiceAccounts(toolsNamespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("could not create service account %s: %w", name, err)
		}
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: toolsNamespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:serviceaccounts:" + toolsNamespace}},
	}
	if _, err := b.kube.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not give the tools their rights: %w", err)
	}
	return nil
}

func (b *bench) createTools(ctx context.Context) error {
	kubeconfigs := map[string]string{}
	for _, name := range []string{toolOurs, toolKubectl, toolFloor} {
		path, err := b.cluster.ServiceAccountKubeconfig(ctx, toolsNamespace, name)
		if err != nil {
			return err
		}
		kubeconfigs[name] = path
	}
	ourConfig, err := loadConfig(kubeconfigs[toolOurs])
	if err != nil {
		return err
	}
	ourClient, err := versioned.NewForConfig(ourConfig)
	if err != nil {
		return fmt.Errorf("could not create a client: %w", err)
	}
	floorConfig, err := loadConfig(kubeconfigs[toolFloor])
	if err != nil {
		return err
	}
	floorClient, err := kubernetes.NewForConfig(floorConfig)
	if err != nil {
		return fmt.Errorf("could not create a client: %w", err)
	}
	b.tools = map[string]tool{
		toolOurs:    &ours{config: ourConfig, client: ourClient},
		toolKubectl: &kubectl{binary: filepath.Join(b.cluster.BinDir(), "kubectl"), kubeconfig: kubeconfigs[toolKubectl], cacheDir: filepath.Join(b.cluster.Dir(), "kubectl-cache")},
		toolFloor:   &floor{client: floorClient},
	}
	return nil
}

// namespace returns the name of a namespace that was not used yet.
func (b *bench) namespace(prefix string) string {
	b.namespaces++
	return fmt.Sprintf("%s-%d", prefix, b.namespaces)
}

func (b *bench) logf(format string, args ...any) {
	if b.options.verbose {
		_, _ = fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}
