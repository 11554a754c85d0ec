// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxWaits is how many reasons to wait a node shows.
const maxWaits = 20

// stored are forecasts as far as the statuses of the holds have them.
func stored(active []v1beta1.NodeMaintenance) []v1beta1.AdmissionForecast {
	var forecasts []v1beta1.AdmissionForecast
	for i := range active {
		if admission := active[i].Status.Admission; admission != nil {
			forecasts = append(forecasts, v1beta1.AdmissionForecast{
				StartsNow: admission.AdmittedTime != nil, WaitingFor: admission.WaitingFor, EarliestStartTime: admission.EarliestStartTime,
			})
		}
	}
	return forecasts
}

// Admission sums up the forecasts of the holds of a node; nil if none of them waits.
func Admission(holds []v1beta1.AdmissionForecast) *v1beta1.AdmissionForecast {
	var sum v1beta1.AdmissionForecast
	var starts []*metav1.Time
	for i := range holds {
		sum.StartsNow = sum.StartsNow || holds[i].StartsNow
		sum.WaitingFor = append(sum.WaitingFor, holds[i].WaitingFor...)
		sum.Positions = append(sum.Positions, holds[i].Positions...)
		if len(holds[i].WaitingFor) > 0 {
			starts = append(starts, holds[i].EarliestStartTime)
		}
	}
	if len(starts) == 0 {
		return nil
	}
	sum.WaitingFor, sum.Positions, sum.EarliestStartTime = distinct(sum.WaitingFor), first(sum.Positions), earliest(starts)
	return &sum
}

// distinct are the waits sorted by policy, each once.
func distinct(waits []v1beta1.AdmissionWait) []v1beta1.AdmissionWait {
	slices.SortStableFunc(waits, func(a, b v1beta1.AdmissionWait) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	waits = slices.Compact(waits)
	return waits[:min(len(waits), maxWaits)]
}

// first are the places sorted by policy, the first one for each.
func first(places []v1beta1.QueuePosition) []v1beta1.QueuePosition {
	slices.SortFunc(places, func(a, b v1beta1.QueuePosition) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Position, b.Position))
	})
	return slices.CompactFunc(places, func(a, b v1beta1.QueuePosition) bool { return a.Policy == b.Policy })
}

// earliest is the first of the times; nil if one of them is not known.
func earliest(times []*metav1.Time) *metav1.Time {
	if slices.Contains(times, nil) {
		return nil
	}
	return slices.MinFunc(times, func(a, b *metav1.Time) int { return a.Compare(b.Time) })
}
