// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

func TestPodAffinity(t *testing.T) {
	always := v1beta1.ProfileCheck{PodAffinity: &v1beta1.PodAffinityCheck{}}
	room := v1beta1.ProfileCheck{PodAffinity: &v1beta1.PodAffinityCheck{MinOperational: 2}}
	pods := func(node string, prefers bool) change {
		return func(s *scene) {
			if s.Pods == nil {
				s.Pods = map[string]evaluation.PodAffinity{}
			}
			s.Pods[node] = evaluation.PodAffinity{Prefers: prefers}
			if prefers {
				s.Pods[node] = evaluation.PodAffinity{Prefers: true, Pod: "shop/db-0"}
			}
		}
	}
	required := func(node string) change { return carries(node, "p", v1beta1.ProfileMaintenanceRequired) }
	operational := func(node string) change { return carries(node, "p", v1beta1.ProfileOperational) }
	const first = `False: pod shop/db-0 would move twice: node w-3 goes first, since no pod there prefers nodes that are operational`
	asked{
		"only in MaintenanceRequired": {
			always,
			[]change{in(v1beta1.ProfileOperational)},
			`Error: the check is only for the state MaintenanceRequired, and the state is Operational`,
		},
		"not known yet":    {always, nil, `Unknown: the pods of the node are not known yet`},
		"no such pod here": {always, []change{pods("w-1", false), required("w-2")}, `True: no pod of the node prefers nodes that are operational`},
		"another node goes first": {
			always, []change{pods("w-1", true), required("w-2"), pods("w-2", true), required("w-3"), pods("w-3", false)}, first,
		},
		"another node goes first, whatever is not known": {
			always, []change{pods("w-1", true), required("w-2"), required("w-3"), pods("w-3", false)}, first,
		},
		"another node is not known": {
			always, []change{pods("w-1", true), required("w-2")}, `Unknown: the pods of node w-2 are not known yet`,
		},
		"all others have such pods": {
			always,
			[]change{pods("w-1", true), required("w-2"), pods("w-2", true)},
			`True: pods of all nodes that require maintenance prefer nodes that are operational`,
		},
		"nodes in other states do not count": {
			always,
			[]change{pods("w-1", true), operational("w-2"), pods("w-2", false)},
			`True: pods of all nodes that require maintenance prefer nodes that are operational`,
		},
		"room enough":     {room, []change{operational("w-2"), operational("w-3")}, `True: the profile is Operational on 2 nodes, at least 2`},
		"not room enough": {room, []change{operational("w-2"), pods("w-1", false)}, `True: no pod of the node prefers nodes that are operational`},
	}.run(t)
}

func TestAnswersOfOthers(t *testing.T) {
	prometheus := v1beta1.ProfileCheck{Prometheus: &v1beta1.PrometheusCheck{}}
	answered := func(result evaluation.Result, message string) change {
		return func(s *scene) {
			s.Answers = map[string]evaluation.Answer{"c": {Result: result, Message: message}}
		}
	}
	asked{
		"none yet":   {prometheus, nil, `Unknown: there is no answer yet`},
		"true":       {prometheus, []change{answered(evaluation.True, "value is 0.2")}, `True: value is 0.2`},
		"error":      {v1beta1.ProfileCheck{HTTP: &v1beta1.HTTPCheck{}}, []change{answered(evaluation.Error, "refused")}, `Error: refused`},
		"object":     {v1beta1.ProfileCheck{Object: &v1beta1.ObjectCheck{}}, []change{answered(evaluation.False, "no")}, `False: no`},
		"a new kind": {v1beta1.ProfileCheck{}, nil, `Error: the check cannot be applied: it is of a kind that this server does not know`},
	}.run(t)
}
