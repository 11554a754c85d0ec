// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceendpoint"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenanceprofile"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// compare refuses what cannot be beside the other profiles, and endpoints that there are not. It goes only by what the
// write brings: others may have been written, or deleted, since the profile was.
func (r *REST) compare(ctx context.Context, profile, before *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) error {
	errs := aliasTaken(profile, before, others)
	errs = append(errs, r.tooManyWatched(ctx, profile, before, others)...)
	errs = append(errs, r.tooManyNodeProfiles(ctx, profile, before, others)...)
	unknown, err := r.unknownEndpoints(ctx, profile, before)
	if err != nil {
		return err
	}
	if errs = append(errs, unknown...); len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("MaintenanceProfile").GroupKind(), profile.Name, errs)
}

// aliasTaken refuses an alias that another profile has: labels of nodes could not tell them apart.
func aliasTaken(profile, before *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) field.ErrorList {
	alias := maintenanceprofile.AliasOf(profile)
	if alias == maintenanceprofile.AliasOf(before) {
		return nil
	}
	for i := range others {
		if maintenanceprofile.AliasOf(&others[i]) == alias {
			return field.ErrorList{field.Invalid(field.NewPath("spec", "alias"), alias, fmt.Sprintf(
				"is what nodes call profile %q already: set another one", others[i].Name))}
		}
	}
	return nil
}

// tooManyWatched refuses resources above what the server watches for all profiles. One user may have half of that, as of what
// there is room for, but for what others have watched, too.
func (r *REST) tooManyWatched(ctx context.Context, profile, before *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) field.ErrorList {
	stored := maintenanceprofile.Watched(append(slices.Clone(others), *before)...)
	added := maintenanceprofile.Watched(*profile).Difference(stored)
	if len(added) == 0 {
		return nil
	}
	path := field.NewPath("spec", "checks")
	all := maintenanceprofile.Watched(append(slices.Clone(others), *profile)...)
	if len(all) > v1beta1.MaxWatchedResources {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf(
			"all profiles together may watch %d resources, and with this one they would watch %d, since each namespace and each selector of a resource is one",
			v1beta1.MaxWatchedResources, len(all)))}
	}
	author := profile.Status.Author
	if author == nil {
		return nil
	}
	ofOthers := slices.DeleteFunc(slices.Clone(others), func(other v1beta1.MaintenanceProfile) bool {
		return other.Status.Author != nil && other.Status.Author.Username == author.Username
	})
	own, share := len(all.Difference(maintenanceprofile.Watched(ofOthers...))), resource.Half(v1beta1.MaxWatchedResources)
	if own <= share || !r.SharesRoom(ctx) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, fmt.Sprintf("with it, the profiles that user %q has written watch %d resources that no others watch, "+
		"and one user may have %d, half of what there is room for, so that others have some, too: ask about fewer resources, namespaces and selectors, "+
		"or ask an admin, who may create MaintenancePolicies, to write it", author.Username, own, share))}
}

// unknownEndpoints refuses endpoints that do not exist, or are of another kind.
func (r *REST) unknownEndpoints(ctx context.Context, profile, before *v1beta1.MaintenanceProfile) (field.ErrorList, error) {
	known := maintenanceprofile.Endpoints(&before.Spec)
	var errs field.ErrorList
	for _, reference := range maintenanceprofile.Endpoints(&profile.Spec) {
		if slices.ContainsFunc(known, reference.Same) {
			continue
		}
		endpoint, err := r.Endpoints().Get(ctx, reference.Name, &metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			errs = append(errs, field.Invalid(reference.Path, reference.Name, "there is no such MaintenanceEndpoint: create it first"))
		case err != nil:
			return nil, fmt.Errorf("could not read MaintenanceEndpoint %q: %w", reference.Name, err)
		default:
			errs = append(errs, wrongMember(reference, endpoint.(*v1beta1.MaintenanceEndpoint))...)
		}
	}
	return errs, nil
}

func wrongMember(reference maintenanceprofile.EndpointReference, endpoint *v1beta1.MaintenanceEndpoint) field.ErrorList {
	member, _ := maintenanceendpoint.Member(&endpoint.Spec)
	if reference.Expects(member) {
		return nil
	}
	return field.ErrorList{field.Invalid(reference.Path, reference.Name, fmt.Sprintf(
		"is a MaintenanceEndpoint with %s, and must be one with %s", member, strings.Join(reference.Members, " or ")))}
}
