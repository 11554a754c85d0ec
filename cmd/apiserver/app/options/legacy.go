// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
)

// LegacyOptions says which API groups of former operators are served.
type LegacyOptions struct {
	// Groups are the names of the groups; none by default.
	Groups []string
}

func newLegacyOptions() *LegacyOptions { return &LegacyOptions{} }

func (o *LegacyOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Groups, "serve-legacy-groups", o.Groups,
		"API groups of former operators under which NodeMaintenances, or ScheduledEvents as MachineMaintenances, are served too, separated by commas. "+
			"Possible: "+strings.Join(legacyGroups(), ", ")+". Each needs its APIService, and is not served while its CRD is installed.")
}

func (o *LegacyOptions) validate() []error {
	var errs []error
	for _, group := range o.Groups {
		if !slices.Contains(legacyGroups(), group) {
			errs = append(errs, fmt.Errorf("--serve-legacy-groups must name some of %s, not %q", strings.Join(legacyGroups(), ", "), group))
		}
	}
	return errs
}

// Versions are the served versions, one of each group.
func (o *LegacyOptions) Versions() []schema.GroupVersion {
	return slices.DeleteFunc(legacyinstall.AllGroupVersions(), func(version schema.GroupVersion) bool {
		return !slices.Contains(o.Groups, version.Group)
	})
}

// NodeMaintenances says whether a group is served in which the former operators had NodeMaintenances.
func (o *LegacyOptions) NodeMaintenances() bool {
	return slices.ContainsFunc(legacyinstall.GroupVersions(), func(version schema.GroupVersion) bool {
		return slices.Contains(o.Groups, version.Group)
	})
}

// APIServices are the names of the APIServices of the served versions.
func (o *LegacyOptions) APIServices() []string {
	var names []string
	for _, version := range o.Versions() {
		names = append(names, version.Version+"."+version.Group)
	}
	return names
}

func legacyGroups() []string {
	var names []string
	for _, version := range legacyinstall.AllGroupVersions() {
		names = append(names, version.Group)
	}
	return names
}
