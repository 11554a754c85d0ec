// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"
)

const (
	// begin is what each drain takes before the first pod leaves: to see the hold, cordon the node and list its pods.
	begin = time.Minute
	// restart is how long a pod takes elsewhere until it is Ready, so that its disruption budget lets the next one go.
	restart = 2 * time.Minute
	// perPod is what each pod takes besides, since evictions are limited, and volumes are detached one after the other.
	perPod = 2 * time.Second
	// completion is what is set aside for pods that run to completion: nobody knows how long they take.
	completion = time.Hour
	// longest is the longest that is expected of a drain, and of a pod of it. Who creates a pod chooses its grace period,
	// and is not to choose how much earlier a node goes, in spite of its policies.
	longest = 4 * time.Hour
)

// Load is what the drain of a node takes, as its plan says.
type Load struct {
	// Pods are those that are to leave the node.
	Pods []LoadPod
	// Allowed is how many pods each disruption budget that selects any of them lets go now, by namespace/name.
	Allowed map[string]int
}

// LoadPod is a pod that is to leave its node.
type LoadPod struct {
	// Turn is the time when it is evicted: turns go one after the other, from 1.
	Turn int32
	// Grace is its grace period.
	Grace time.Duration
	// Budgets are the disruption budgets that select it, by namespace/name.
	Budgets []string
	// Completes says that it runs to completion first.
	Completes bool
}

// Estimate is how long a drain takes, roughly and rather too long, in full minutes. Turns go one after the other. A turn
// takes as long as its slowest pod, or its slowest disruption budget: its pods leave in rounds of as many as it lets go,
// and each round takes the longest grace period of its pods and the start of the pods elsewhere. It is at most 4 hours.
func Estimate(load Load) time.Duration {
	turns := map[int32][]LoadPod{}
	takes, completes := begin+time.Duration(len(load.Pods))*perPod, false
	for _, pod := range load.Pods {
		if pod.Completes {
			completes = true
			continue
		}
		turns[pod.Turn] = append(turns[pod.Turn], pod)
	}
	for _, pods := range turns {
		takes += ofTurn(pods, load.Allowed)
	}
	if completes {
		takes += completion
	}
	return min(roundUp(takes, time.Minute), longest)
}

// ofTurn is how long the pods of a turn take.
func ofTurn(pods []LoadPod, allowed map[string]int) time.Duration {
	budgets := map[string][]LoadPod{}
	for _, pod := range pods {
		for _, budget := range pod.Budgets {
			budgets[budget] = append(budgets[budget], pod)
		}
	}
	slowest := grace(pods)
	for name, selected := range budgets {
		room := max(allowed[name], 1)
		rounds := (len(selected) + room - 1) / room
		if allowed[name] < 1 {
			rounds++ // it has to wait for a pod elsewhere before the first one goes
		}
		slowest = max(slowest, time.Duration(rounds)*(grace(selected)+restart))
	}
	return slowest
}

// grace is the longest grace period of the pods, of 4 hours at most.
func grace(pods []LoadPod) time.Duration {
	slowest := time.Duration(0)
	for _, pod := range pods {
		slowest = max(slowest, pod.Grace)
	}
	return min(slowest, longest)
}

func roundUp(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }

// unknownPlan is what is expected of a drain while its plan is not known.
const unknownPlan = 30 * time.Minute

// expected is how long a drain is expected to take: as its plan says, or as the second longest of earlier drains took if
// that is more, but not more than twice the plan, and than 4 hours. The longest one is left out: something special had kept
// it.
func expected(drains Drains) time.Duration {
	plan := drains.Plan
	if plan <= 0 {
		plan = unknownPlan
	}
	if len(drains.Earlier) < 2 {
		return plan
	}
	earlier := slices.Sorted(slices.Values(drains.Earlier))
	return max(plan, min(roundUp(earlier[len(earlier)-2], time.Minute), 2*plan, longest))
}
