// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import "slices"

// Turns says which pods of a hold wait until others have left.
type Turns struct {
	// First are the pods of the present turn, as namespace/name, sorted, if a later turn waits for them.
	First []string
	// Later counts the pods of later turns.
	Later int
	// Last is the number of the last turn; the present one is 1.
	Last int
}

// turnsOf returns the turns of a hold as if it were alone. Past its deadline, it may delete all pods at
// once, so that none waits.
func (p Plan) turnsOf(alone *holdPlan) Turns {
	if len(alone.turns) < 2 || alone.hold.Deletes {
		return Turns{}
	}
	turns := Turns{Last: len(alone.turns)}
	for i, pod := range p.Pods {
		if kind := alone.decisions[i].kind; kind != evict && kind != block {
			continue
		}
		switch alone.turnOf(i) {
		case 0:
		case 1:
			turns.First = append(turns.First, key(pod.Pod))
		default:
			turns.Later++
		}
	}
	slices.Sort(turns.First)
	return turns
}
