// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// Answers are those of others to checks: of Prometheus and HTTP servers, of other objects, and of pods. They belong to one
// term of leading.
type Answers interface {
	// Run asks what is wanted until ctx is done, and returns when everything it started has ended. It is called once.
	Run(ctx context.Context)
	// For returns the answers to the checks of a profile on a node that are not too old, by the name of the check, and
	// what is known of pods.
	For(profile *v1beta1.MaintenanceProfile, nodeProfile *v1beta1.NodeProfile, node *corev1.Node) (map[string]evaluation.Answer, map[string]evaluation.PodAffinity)
	// Want has the checks of a NodeProfile asked whose answers matter now, and no others.
	Want(profile *v1beta1.MaintenanceProfile, nodeProfile *v1beta1.NodeProfile, node *corev1.Node, checks []string)
	// Forget has nothing asked any more for a NodeProfile.
	Forget(nodeProfile *v1beta1.NodeProfile)
	// Moved says that a profile may be in another state on a node than before. The Cluster shows it.
	Moved(profile string)
}

// answersNow are the answers that this process knows: none, unless it leads.
func (e *Engine) answersNow() Answers {
	if t := e.leading.Load(); t != nil {
		return t.answers
	}
	return noAnswers{}
}

// newAnswers returns what asks others in a term.
func (e *Engine) newAnswers(cluster Cluster) Answers {
	if e.config.NewAnswers == nil {
		return noAnswers{}
	}
	return e.config.NewAnswers(cluster)
}

// noAnswers ask nobody.
type noAnswers struct{}

func (noAnswers) Run(context.Context) {}

func (noAnswers) For(
	*v1beta1.MaintenanceProfile, *v1beta1.NodeProfile, *corev1.Node,
) (map[string]evaluation.Answer, map[string]evaluation.PodAffinity) {
	return nil, nil
}

func (noAnswers) Want(*v1beta1.MaintenanceProfile, *v1beta1.NodeProfile, *corev1.Node, []string) {}
func (noAnswers) Forget(*v1beta1.NodeProfile)                                                    {}
func (noAnswers) Moved(string)                                                                   {}
