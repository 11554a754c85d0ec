// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ServerRights are what the cluster permits the server itself, as its flags say. What it is not permitted is refused when
// somebody asks for it: later, a node would be out of service already.
type ServerRights struct {
	// DeletePods says whether it may delete pods.
	DeletePods bool
	// NodeKeys are the labels, annotations and finalizers of nodes that triggers may change: keys, DOMAIN/* for the labels and
	// annotations of a domain, or * for all.
	NodeKeys []string
}

// Limit has the plugin refuse what the server is not permitted. It is called before the first request. Without it, the
// server is taken to be permitted everything.
func (p *Plugin) Limit(rights ServerRights) { p.server = &rights }

const (
	noDelete = "the server may not delete pods: leave it out, or have the admin permit that (the chart's value rbac.allowForce, the flag --allow-force)"
	noKey    = "the server may not change this key of nodes: have the admin add it (the chart's value profiles.nodeKeys, the flag --node-keys)"
)

// refuseHold refuses a drain that deletes pods. The server's own holds are of what was stored when it was permitted: they
// drain as far as that goes.
func (r *ServerRights) refuseHold(w write) error {
	if r == nil || r.DeletePods || w.hold == nil || w.by.GetName() == user.APIServerUser || len(w.force()) == 0 || w.hold.Spec.Drain.OnTimeout != v1beta1.OnTimeoutDelete {
		return nil
	}
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance").GroupKind(), w.hold.Name,
		field.ErrorList{field.Forbidden(field.NewPath("spec", "drain", "onTimeout"), noDelete)})
}

// refuseProfile refuses the parts of a profile that are new and need more than the server is permitted.
func (r *ServerRights) refuseProfile(profile string, needs []profileNeed) error {
	if r == nil {
		return nil
	}
	var refused field.ErrorList
	for _, need := range needs {
		path := field.NewPath(strings.TrimSuffix(need.why, deletes))
		if need.deletesPods && !r.DeletePods {
			refused = append(refused, field.Forbidden(path, noDelete))
		}
		for _, key := range need.nodeKeys {
			if !r.permitKey(key) {
				refused = append(refused, field.Invalid(path, key, noKey))
			}
		}
		for _, finalizer := range need.finalizers {
			if !slices.Contains(r.NodeKeys, finalizer) && !slices.Contains(r.NodeKeys, "*") {
				refused = append(refused, field.Invalid(path, finalizer, noKey))
			}
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return apierrors.NewInvalid(v1beta1.SchemeGroupVersion.WithKind("MaintenanceProfile").GroupKind(), profile, refused)
}

// ServerMay says whether the cluster permits the server itself what a question is about. It fails if nobody can tell.
type ServerMay func(ctx context.Context, question authorizer.AttributesRecord) (bool, error)

// AskForServer has the plugin ask what the server itself may. It is called once, before the first request.
func (p *Plugin) AskForServer(may ServerMay) { p.serverMay = may }

// serverLacks says what the server itself may not do that a profile has it do; none: it may all.
func (p *Plugin) serverLacks(ctx context.Context, needs []profileNeed) (lacks []string, err error) {
	if p.serverMay == nil {
		return nil, nil
	}
	asked := map[string]bool{}
	for _, need := range needs {
		if need.value == "" || asked[described(need.question)] {
			continue
		}
		asked[described(need.question)] = true
		may, err := p.serverMay(ctx, need.question)
		if err != nil {
			return nil, fmt.Errorf("could not find out whether the server may %s: %w", described(need.question), err)
		}
		if !may {
			lacks = append(lacks, fmt.Sprintf("%s: the server itself cannot %s: have the admin permit that (the chart's value %s)",
				need.why, described(need.question), need.value))
		}
	}
	return lacks, nil
}

// warnOfServer warns of what the server itself may not do. That nobody can tell is no reason to refuse a profile.
func (p *Plugin) warnOfServer(ctx context.Context, needs []profileNeed) {
	lacks, _ := p.serverLacks(ctx, needs)
	for _, lack := range lacks {
		warning.AddWarning(ctx, "", lack+". Until then, the profile starts nothing")
	}
}

// permitKey says whether the server may change a label or an annotation of nodes. The marks of the server itself are refused elsewhere.
func (r *ServerRights) permitKey(key string) bool {
	return slices.ContainsFunc(r.NodeKeys, func(permitted string) bool {
		prefix, all := strings.CutSuffix(permitted, "*")
		return key == permitted || all && strings.HasPrefix(key, prefix)
	})
}

// keysOf are the labels and annotations that a trigger changes.
func keysOf(patch *v1beta1.PatchNodeTrigger) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(patch.Labels)), slices.Collect(maps.Keys(patch.Annotations)),
		patch.RemoveLabels, patch.RemoveAnnotations)
	slices.Sort(keys)
	return slices.Compact(keys)
}
