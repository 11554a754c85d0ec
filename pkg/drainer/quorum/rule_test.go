// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"fmt"
	"strings"
	"testing"
)

// members are those of a control plane: cp-1 and so on, each with what is said of it.
func members(outs ...string) []Member {
	var all []Member
	for i, out := range outs {
		all = append(all, Member{Name: fmt.Sprintf("cp-%d", i+1), Out: out})
	}
	return all
}

func TestDecide(t *testing.T) {
	const alices = `held by "x" of "alice"`
	tests := map[string]struct {
		node        string
		members     []Member
		wantAllowed bool
		wantNumbers string
	}{
		"no control plane is known": {node: "w-1", wantAllowed: true, wantNumbers: "1 of 0 members must stay in service, and without it 0 would"},
		"another node": {
			node: "w-1", members: members("", notReady, notReady), wantAllowed: true,
			wantNumbers: "2 of 3 members must stay in service, and without it 1 would (out: cp-2, not ready; cp-3, not ready)",
		},
		"the only one": {node: "cp-1", members: members(""), wantNumbers: "1 of 1 members must stay in service, and without it 0 would"},
		"one of two":   {node: "cp-1", members: members("", ""), wantNumbers: "2 of 2 members must stay in service, and without it 1 would"},
		"one of three": {node: "cp-2", members: members("", "", ""), wantAllowed: true, wantNumbers: "2 of 3 members must stay in service, and without it 2 would"},
		"a second of three": {
			node: "cp-1", members: members("", alices, ""),
			wantNumbers: `2 of 3 members must stay in service, and without it 1 would (out: cp-2, held by "x" of "alice")`,
		},
		"the last of three": {
			node: "cp-1", members: members("", alices, notReady),
			wantNumbers: `2 of 3 members must stay in service, and without it 0 would (out: cp-2, held by "x" of "alice"; cp-3, not ready)`,
		},
		"one that is not ready": {
			node: "cp-3", members: members("", alices, notReady), wantAllowed: true,
			wantNumbers: `2 of 3 members must stay in service, and without it 1 would (out: cp-2, held by "x" of "alice")`,
		},
		"one that is held already": {node: "cp-2", members: members("", alices, ""), wantAllowed: true, wantNumbers: "2 of 3 members must stay in service, and without it 2 would"},
		"one of four":              {node: "cp-1", members: members("", "", "", ""), wantAllowed: true, wantNumbers: "3 of 4 members must stay in service, and without it 3 would"},
		"a second of four": {
			node: "cp-1", members: members("", "", "", notReady),
			wantNumbers: "3 of 4 members must stay in service, and without it 2 would (out: cp-4, not ready)",
		},
		"a second of five": {
			node: "cp-1", members: members("", notReady, "", "", ""), wantAllowed: true,
			wantNumbers: "3 of 5 members must stay in service, and without it 3 would (out: cp-2, not ready)",
		},
		"a third of five": {
			node: "cp-1", members: members("", notReady, "", "", inMaintenance),
			wantNumbers: "3 of 5 members must stay in service, and without it 2 would (out: cp-2, not ready; cp-5, in maintenance)",
		},
		"many that are out": {
			node:    "cp-11",
			members: members(strings.Split(strings.Repeat(notReady+",", 10), ",")...),
			wantNumbers: "6 of 11 members must stay in service, and without it 0 would (out: cp-1, not ready; cp-2, not ready; " +
				"cp-3, not ready; cp-4, not ready; cp-5, not ready; cp-6, not ready; cp-7, not ready; cp-8, not ready; 2 more)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(test.node, test.members)
			if d.Allowed() != test.wantAllowed {
				t.Errorf("allowed is %t, want %t: %s", d.Allowed(), test.wantAllowed, d.numbers())
			}
			if got := d.numbers(); got != test.wantNumbers {
				t.Errorf("it says\n%s\nwant\n%s", got, test.wantNumbers)
			}
		})
	}
}

// The words say what to do, and do not ask to wait where that does not help.
func TestMessages(t *testing.T) {
	single, second := Decide("cp-1", members("")), Decide("cp-1", members("", notReady, ""))
	const override = "set spec.overrideQuorum, which requires the verb overridequorum on nodes/maintenance"
	tests := map[string]struct{ got, want string }{
		"a create of the only member": {
			single.refusal(), "control plane: node cp-1 cannot go into maintenance now: 1 of 1 members must stay in service, " +
				"and without it 0 would; waiting does not help; to take it all the same, " + override,
		},
		"a create": {
			second.refusal(), "control plane: node cp-1 cannot go into maintenance now: 2 of 3 members must stay in service, " +
				"and without it 1 would (out: cp-2, not ready); try again when more members are in service; to take it all the same, " + override,
		},
		"a node that waits": {
			second.wait(), "control plane: node cp-1 waits: 2 of 3 members must stay in service, and without it 1 would " +
				"(out: cp-2, not ready); it is taken as soon as enough members are in service; to take it all the same, " + override,
		},
		"the only member waits": {
			single.wait(), "control plane: node cp-1 waits: 1 of 1 members must stay in service, and without it 0 would; " +
				"waiting does not help; to take it all the same, " + override,
		},
		"an override": {
			second.overridden(), "control plane: spec.overrideQuorum takes node cp-1 out of service whatever follows: " +
				"2 of 3 members must stay in service, and without it 1 would (out: cp-2, not ready)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("it says\n%s\nwant\n%s", test.got, test.want)
			}
		})
	}
}
