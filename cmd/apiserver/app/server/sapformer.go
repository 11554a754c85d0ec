// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/engine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/mirror"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// sapFormer knows what the SAP maintenance-controller has left: its annotation on nodes, until the mirrors have written it,
// and its Leases.
type sapFormer struct {
	kube kubernetes.Interface
	// look has the mirrors look at all nodes.
	look func()
}

var _ engine.Former = sapFormer{}

// Adopt implements engine.Former.
func (f sapFormer) Adopt(
	ctx context.Context, node *corev1.Node, profile *v1beta1.MaintenanceProfile,
) (sapdata.Adoption, bool, error) {
	if node.Annotations[mirror.MarkAnnotation] != "" {
		adopted, found := sapdata.AdoptSince(node, profile)
		return adopted, found, nil
	}
	if !f.Has(node, profile) {
		return sapdata.Adoption{}, false, nil
	}
	leases, err := f.leases(ctx, profile)
	if err != nil {
		return sapdata.Adoption{}, false, err
	}
	adopted, found, err := sapdata.Adopt(node, leases, profile)
	if err != nil {
		return sapdata.Adoption{}, false, &engine.UnreadableError{Message: err.Error() + "; repair it, or remove it if the node is Operational"}
	}
	return adopted, found, nil
}

// Has implements engine.Former. What cannot be read may be something.
func (f sapFormer) Has(node *corev1.Node, profile *v1beta1.MaintenanceProfile) bool {
	text := node.Annotations[sapdata.Annotation]
	if text == "" || node.Annotations[mirror.MarkAnnotation] != "" {
		return false
	}
	data, err := sapdata.Parse(text)
	return err != nil || data.Profiles[profile.AliasOrName()] != nil
}

// Where implements engine.Former.
func (sapFormer) Where(
	node *corev1.Node, profile *v1beta1.MaintenanceProfile,
) (state v1beta1.ProfileState, since time.Time, ok bool) {
	data, err := sapdata.Parse(node.Annotations[sapdata.Annotation])
	if err != nil {
		return "", time.Time{}, false
	}
	known := data.Profiles[profile.AliasOrName()]
	if known == nil {
		return "", time.Time{}, false
	}
	return sapdata.State(known.Current), known.Transition, true
}

// Look implements engine.Former.
func (f sapFormer) Look() { f.look() }

// leases are those of the controller for the checks of the profile that take places: the pool of one is the namespace of
// its Leases, "/", and the beginning of their names.
func (f sapFormer) leases(ctx context.Context, profile *v1beta1.MaintenanceProfile) ([]*coordinationv1.Lease, error) {
	var leases []*coordinationv1.Lease
	read := map[string]bool{}
	for _, check := range profile.Spec.Checks {
		if check.Stagger == nil {
			continue
		}
		namespace, _, isOfLeases := strings.Cut(check.Stagger.Pool, "/")
		if !isOfLeases || read[namespace] || len(validation.IsDNS1123Label(namespace)) > 0 {
			continue
		}
		read[namespace] = true
		list, err := f.kube.CoordinationV1().Leases(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if apierrors.IsForbidden(err) {
			return nil, &engine.UnreadableError{Message: fmt.Sprintf("the places of the stagger %s cannot be read: the server needs the right "+
				"to list leases in the namespace %s (with the chart: sap.leaseNamespaces)", check.Name, namespace)}
		}
		if err != nil {
			return nil, fmt.Errorf("could not read the Leases of the SAP maintenance-controller: %w", err)
		}
		for i := range list.Items {
			leases = append(leases, &list.Items[i])
		}
	}
	return leases, nil
}
