// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	crds        = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// installedCRD is what the import needs to know of a CRD.
type installedCRD struct {
	// version is one that is served.
	version string
	// deleted is the time when the CRD was deleted, if its objects keep it from going; nil: never.
	deleted *metav1.Time
}

// installed are the CRDs of the sources that are installed. It fails if a server, and not the CRD, answers for
// the group: it would show other objects.
func (i *importer) installed(ctx context.Context) (map[source]installedCRD, error) {
	served := map[source]installedCRD{}
	for _, s := range sources {
		err := i.untilServed(ctx, func(ctx context.Context) error {
			crd, err := i.installedFor(ctx, s)
			if err == nil && crd.version != "" {
				served[s] = crd
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return served, nil
}

// installedFor is the CRD of a source; zero if it is not installed.
func (i *importer) installedFor(ctx context.Context, s source) (installedCRD, error) {
	crd, err := i.dynamic.Resource(crds).Get(ctx, s.crd(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return installedCRD{}, nil
	}
	if err != nil {
		return installedCRD{}, fmt.Errorf("could not get CRD %s: %w", s.crd(), err)
	}
	version := servedVersion(crd)
	if version == "" {
		return installedCRD{}, fmt.Errorf("the CRD %s serves no version, so its objects cannot be read", s.crd())
	}
	if err := established(s, crd); err != nil {
		return installedCRD{}, err
	}
	return installedCRD{version: version, deleted: crd.GetDeletionTimestamp()}, i.fromCRD(ctx, s, version)
}

// allInstalled fails if one of the sources that an admin named has no CRD.
func allInstalled(named []source, served map[source]installedCRD) error {
	missing := slices.IndexFunc(named, func(s source) bool { return served[s].version == "" })
	if missing < 0 {
		return nil
	}
	return fmt.Errorf("the CRD %s is not installed: leave out --group %s", named[missing].crd(), named[missing].group)
}

func servedVersion(crd *unstructured.Unstructured) string {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, version := range versions {
		if v, ok := version.(map[string]any); ok && v["served"] == true {
			name, _ := v["name"].(string)
			return name
		}
	}
	return ""
}

func (i *importer) fromCRD(ctx context.Context, s source, version string) error {
	name := version + "." + s.group
	service, err := i.dynamic.Resource(apiServices).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &notServedError{crd: s.crd(), why: "it has no APIService " + name}
	}
	if err != nil {
		return fmt.Errorf("could not get APIService %s: %w", name, err)
	}
	if server, found, _ := unstructured.NestedMap(service.Object, "spec", "service"); found && server != nil {
		return fmt.Errorf("a server, and not the CRD, answers for %s/%s: delete the APIService %s, import, delete the CRD %s, and "+
			"then apply the APIService again", s.group, version, name, s.crd())
	}
	return nil
}

func (s source) resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: s.group, Version: version, Resource: plural}
}

// world reads all that the plan is made from. Objects of other sources than those to import from count too:
// they may be for the same nodes.
func (i *importer) world(ctx context.Context, served map[source]installedCRD) (world, error) {
	w := world{nodes: map[string]*corev1.Node{}, now: now()}
	holds, err := i.maintenance.MaintenanceV1beta1().NodeMaintenances().List(ctx, metav1.ListOptions{})
	if err != nil {
		return world{}, fmt.Errorf("could not list the NodeMaintenances of this server, which must be installed: %w", err)
	}
	w.holds = holds.Items
	for _, s := range sources {
		crd := served[s]
		if crd.version == "" {
			continue
		}
		list, err := i.objectsOf(ctx, s, crd.version)
		if err != nil {
			return world{}, err
		}
		for _, stored := range list {
			o, err := newObject(s, stored, crd.deleted)
			if err != nil {
				return world{}, err
			}
			o.lease = i.nodeLease(ctx, o, w.now)
			w.objects = append(w.objects, o)
		}
	}
	return w, i.addNodes(ctx, w)
}

// addNodes adds the nodes that the objects name.
func (i *importer) addNodes(ctx context.Context, w world) error {
	for _, o := range w.objects {
		name := o.Spec.NodeName
		if _, known := w.nodes[name]; known || name == "" {
			continue
		}
		node, err := i.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			w.nodes[name] = nil
		case err != nil:
			return fmt.Errorf("could not get node %s of %s: %w", name, o, err)
		default:
			w.nodes[name] = node
		}
	}
	return nil
}
