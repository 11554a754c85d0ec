// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/selection"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// tooManyNodeProfiles refuses to select more nodes than the server has memory for NodeProfiles. It goes by what profiles
// select now, so that one which was written just before counts. Later nodes, and those that are not known yet, are left to
// who makes NodeProfiles.
func (r *REST) tooManyNodeProfiles(ctx context.Context, profile, before *v1beta1.MaintenanceProfile,
	others []v1beta1.MaintenanceProfile,
) field.ErrorList {
	room := r.Room.NodeProfiles()
	if room == 0 {
		return nil
	}
	nodes, err := r.Nodes.Nodes()
	if err != nil {
		return nil
	}
	own := r.selects(profile, nodes)
	if own <= r.selects(before, nodes) {
		return nil
	}
	ofOthers, ofAuthor := 0, 0
	author := profile.Status.Author
	for i := range others {
		selected := r.selects(&others[i], nodes)
		ofOthers += selected
		if by := others[i].Status.Author; by != nil && author != nil && by.Username == author.Username {
			ofAuthor += selected
		}
	}
	path := field.NewPath("spec", "nodes")
	if own+ofOthers <= room {
		share := resource.Half(room)
		if author == nil || own+ofAuthor <= share || !r.SharesRoom(ctx) {
			return nil
		}
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("selects %s nodes; with those of other profiles that user %q has written that is %s, "+
			"and one user may have %s NodeProfiles, half of what there is room for, so that others have some, too: "+
			"select fewer nodes, or ask an admin, who may create MaintenancePolicies, to write it",
			humanize.Comma(int64(own)), author.Username, humanize.Comma(int64(own+ofAuthor)), humanize.Comma(int64(share))))}
	}
	needed := resource.ForNodeProfiles(own + ofOthers)
	return field.ErrorList{field.Forbidden(path, fmt.Sprintf(
		"selects %s nodes; with the %s NodeProfiles of other profiles that is %s, and this server has room for %s (GOMEMLIMIT is %s): "+
			"select fewer nodes, or raise GOMEMLIMIT to %s (with Helm: resources.limits.memory to %dMi)",
		humanize.Comma(int64(own)), humanize.Comma(int64(ofOthers)), humanize.Comma(int64(own+ofOthers)), humanize.Comma(int64(room)),
		humanize.IBytes(uint64(r.Room)), humanize.IBytes(uint64(needed)), needed*10/9>>20+1))}
}

// selects is how many of the nodes a profile selects. One that cannot be applied selects none.
func (r *REST) selects(profile *v1beta1.MaintenanceProfile, nodes []*corev1.Node) (count int) {
	selector, err := selection.New(profile, r.Label)
	if err != nil {
		return 0
	}
	for _, node := range nodes {
		if selector.Selects(node) {
			count++
		}
	}
	return count
}
