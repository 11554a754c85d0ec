// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	mutatingadmissionpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingadmissionpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quorum"
)

// reachTimeout is the timeout of each request that the server makes to find out about the cluster, before it serves.
const reachTimeout = 5 * time.Second

// policyPlugins are the admission plugins that watch a resource which older clusters do not
// serve. There the plugin's informer would never sync, and until it has synced, the plugin
// refuses every write. MutatingAdmissionPolicy is served as v1 since Kubernetes 1.36,
// ValidatingAdmissionPolicy since 1.30.
var policyPlugins = map[string]string{
	mutatingadmissionpolicy.PluginName:   "mutatingadmissionpolicies",
	validatingadmissionpolicy.PluginName: "validatingadmissionpolicies",
}

// served is what the server needs to know of the cluster's API.
type served struct {
	// unservedPlugins are the admission plugins whose resources the cluster does not serve.
	unservedPlugins []string
	// openShift says whether the cluster is an OpenShift.
	openShift bool
}

// discover finds out what the cluster serves. It makes the server's first request, so a kubeconfig that does not work is
// found here. Each request may take as long as the timeout.
func discover(ctx context.Context, kubeconfig string, timeout time.Duration) (served, error) {
	config, err := loadConfig(kubeconfig)
	if err != nil {
		return served{}, err
	}
	config.Timeout = timeout
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return served{}, fmt.Errorf("could not use kubeconfig %q: %w", kubeconfig, err)
	}
	var admission, openShift sets.Set[string]
	err = retryRefused(ctx, func(context.Context) error {
		if admission, err = servedResources(client, "admissionregistration.k8s.io/v1"); err != nil {
			return err
		}
		openShift, err = servedResources(client, quorum.OpenShiftGroupVersion)
		return err
	})
	if err != nil {
		return served{}, unreachable(config.Host, err)
	}
	return served{unservedPlugins: unservedPlugins(ctx, admission), openShift: openShift != nil}, nil
}

// unservedPlugins returns the admission plugins whose resources are not among those that the cluster serves.
func unservedPlugins(ctx context.Context, served sets.Set[string]) []string {
	var unserved []string
	for plugin, resource := range policyPlugins {
		if !served.Has(resource) {
			klog.FromContext(ctx).Info("An admission plugin is off, because the cluster does not serve the resource that it needs",
				"plugin", plugin, "resource", resource)
			unserved = append(unserved, plugin)
		}
	}
	return unserved
}

// servedResources returns the resources of a group version; nil when it is not served.
func servedResources(client discovery.DiscoveryInterface, groupVersion string) (sets.Set[string], error) {
	list, err := client.ServerResourcesForGroupVersion(groupVersion)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := sets.New[string]()
	for _, resource := range list.APIResources {
		names.Insert(resource.Name)
	}
	return names, nil
}

// loadConfig reads a kubeconfig, or the pod's own configuration if path is empty.
func loadConfig(path string) (*rest.Config, error) {
	if path == "" {
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("no --kubeconfig given, and not in a cluster: %w", err)
		}
		config.UserAgent = userAgent()
		return config, nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("could not use kubeconfig %q: %w", path, err)
	}
	config.UserAgent = userAgent()
	return config, nil
}

// userAgent begins with the same name whatever the program is called: it is the field manager of all that the server writes,
// and the guard in the chart knows it. Another name of the program follows, so that an audit log tells processes apart.
func userAgent() string {
	const name = "maintenance-apiserver"
	program, version, _ := strings.Cut(rest.DefaultKubernetesUserAgent(), "/")
	if program == name {
		return name + "/" + version
	}
	return name + "/" + version + "/" + program
}
