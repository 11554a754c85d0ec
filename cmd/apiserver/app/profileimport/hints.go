// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
)

// hint says what the server needs for the profiles.
func hint(told io.Writer, result *sapimport.Result) {
	if len(result.InfoLabels) > 0 {
		labels := text.Escape(strings.Join(result.InfoLabels, ","))
		fmt.Fprintf(told, "Start the server with --sap-info --sap-info-labels=%s (with the chart: sap.info=true and sap.infoLabels={%s}), "+
			"if a dashboard of yours asks it.\n", labels, labels)
	}
	if len(result.Secrets) > 0 && result.Secrets[0].Namespace != "" {
		fmt.Fprintf(told, "Start the server with --secret-namespace=%s (with the chart: profiles.secretNamespace).\n", result.Secrets[0].Namespace)
	}
	if slices.ContainsFunc(result.Profiles, readsObjects) {
		fmt.Fprintln(told, "The server needs the right to get, list and watch hypervisors.kvm.cloud.sap (with the chart: profiles.readObjects).")
	}
	if slices.ContainsFunc(result.Profiles, patchesObjects) {
		fmt.Fprintln(told, "The server needs the right to get and patch hypervisors.kvm.cloud.sap (with the chart: profiles.patchObjects).")
	}
	if namespaces := leaseNamespaces(result.Profiles); len(namespaces) > 0 {
		fmt.Fprintf(told, "The server reads the Leases of staggers in %s: name other namespaces than that of the controller with the chart's "+
			"sap.leaseNamespaces.\n", strings.Join(namespaces, ", "))
	}
	fmt.Fprintln(told, "A node whose label names a profile no more goes on until it is Operational, and so can still be drained; the SAP "+
		"maintenance-controller forgets its state at once. To have it given back at once, set onDetach: Release in the profile.")
	fmt.Fprintln(told, "Start the server with --sap-mirrors before you apply the profiles: they then only say what they would do, "+
		"until the SAP maintenance-controller has stopped.")
}

func readsObjects(profile v1beta1.MaintenanceProfile) bool {
	return slices.ContainsFunc(profile.Spec.Checks, func(c v1beta1.ProfileCheck) bool { return c.Object != nil })
}

func patchesObjects(profile v1beta1.MaintenanceProfile) bool {
	return slices.ContainsFunc(profile.Spec.Triggers, func(t v1beta1.ProfileTrigger) bool { return t.PatchObject != nil })
}

// leaseNamespaces are those of the Leases that staggers go on from.
func leaseNamespaces(profiles []v1beta1.MaintenanceProfile) (namespaces []string) {
	for i := range profiles {
		for _, check := range profiles[i].Spec.Checks {
			if check.Stagger == nil {
				continue
			}
			if namespace, _, _ := strings.Cut(check.Stagger.Pool, "/"); !slices.Contains(namespaces, namespace) {
				namespaces = append(namespaces, namespace)
			}
		}
	}
	return namespaces
}
