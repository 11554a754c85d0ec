// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdVersions are the names that NodeMaintenances may be served under: first our own, then those of the
// operators that we replace, in case that these run.
var holdVersions = []metav1.GroupVersionForDiscovery{
	{GroupVersion: v1beta1.GroupName + "/v1beta1", Version: "v1beta1"},
	{GroupVersion: "nodemaintenance.medik8s.io/v1beta1", Version: "v1beta1"},
	{GroupVersion: "nodemaintenance.kubevirt.io/v1beta1", Version: "v1beta1"},
	{GroupVersion: "kubevirt.io/v1alpha1", Version: "v1alpha1"},
}

// versions reads what the cluster serves. It fails if no API server answers.
func (g *gatherer) versions(ctx context.Context) error {
	c := g.index.begin("versions.txt", "the version of Kubernetes, and of each API group")
	var page strings.Builder
	var kubernetes version.Info
	if err := g.get(ctx, "/version", &kubernetes); err != nil {
		if unreachable(err) {
			return err
		}
		c.failed("/version", err)
	}
	fmt.Fprintf(&page, "Kubernetes %s on %s\nmust-gather %s\n", kubernetes.GitVersion, kubernetes.Platform, g.index.version)
	var groups metav1.APIGroupList
	if err := g.get(ctx, "/apis", &groups); err != nil {
		c.failed("/apis", err)
	} else {
		g.served(&groups, &page)
	}
	g.archive.add("versions.txt", []byte(page.String()))
	return nil
}

// served notes which groups there are, and in which versions.
func (g *gatherer) served(groups *metav1.APIGroupList, page *strings.Builder) {
	g.groups = map[string]string{}
	for _, group := range groups.Groups {
		g.groups[group.Name] = group.PreferredVersion.Version
		for _, served := range group.Versions {
			g.groups[served.GroupVersion] = served.Version
			fmt.Fprintln(page, served.GroupVersion)
		}
	}
}

// serves reports whether a group/version may be served. If that could not be read, it is asked for, and so is
// our own always: it may be missing only while our server does not answer.
func (g *gatherer) serves(groupVersion string) bool {
	return g.groups == nil || groupVersion == v1beta1.SchemeGroupVersion.String() || g.groups[groupVersion] != ""
}

// get reads a JSON answer.
func (g *gatherer) get(ctx context.Context, path string, answer any) error {
	return g.ask(ctx, func(ctx context.Context) error {
		content, err := g.raw.Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(ctx)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(content, answer); err != nil {
			return fmt.Errorf("the answer to %s is not what Kubernetes answers: %w", path, err)
		}
		return nil
	})
}
