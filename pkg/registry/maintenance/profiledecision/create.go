// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiledecision

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

// verbs are what decisions require.
var verbs = map[v1beta1.ProfileDecision]string{
	v1beta1.ProfileApprove: verbApprove,
	v1beta1.ProfileVeto:    verbVeto,
	v1beta1.ProfilePush:    verbForce,
	v1beta1.ProfileAbort:   verbForce,
}

// Create implements rest.NamedCreater: it stores what the user decides of the NodeProfile.
func (r *REST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	decision, by := obj.(*v1beta1.NodeProfileDecision), nodemaintenance.RequestorFrom(ctx)
	if errs := validation.ValidateNodeProfileDecision(decision, name, by); len(errs) > 0 {
		return nil, invalid(name, errs)
	}
	node, err := r.authorized(ctx, name, verbs[decision.Decision])
	if err != nil {
		return nil, err
	}
	if err := validate(ctx, decision); err != nil {
		return nil, err
	}
	decided := request{by: by, node: node, decision: decision, now: r.clock.Now()}
	nodeProfile, err := r.update(ctx, name, decided.decide, options.DryRun)
	if err != nil {
		return nil, err
	}
	noteInAudit(ctx, nodeProfile, decided.recorded())
	answer := decision.DeepCopy()
	answer.Name, answer.ManagedFields = name, nil
	answer.UID, answer.CreationTimestamp = nodeProfile.UID, metav1.NewTime(decided.now)
	return answer, nil
}

// authorized returns the node of a NodeProfile on which the user has the verb. Only who has it there learns whether there
// is such a NodeProfile.
func (r *REST) authorized(ctx context.Context, name, verb string) (node string, err error) {
	nodeProfile, err := r.nodeProfile(ctx, name)
	if err != nil && !apierrors.IsNotFound(err) {
		return "", err
	}
	if node = nodeNamedIn(name); err == nil {
		node = nodeProfile.Spec.NodeName
	}
	if refusal := r.authorize(ctx, verb, node, name); refusal != nil {
		return "", refusal
	}
	return node, err
}

// nodeNamedIn is the node that a name of a NodeProfile begins with. Names of profiles have no dots.
func nodeNamedIn(name string) string {
	return name[:max(strings.LastIndex(name, "."), 0)]
}
