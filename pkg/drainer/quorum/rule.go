// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

// Member is one member of the control plane.
type Member struct {
	// Name is the name of its node.
	Name string
	// Out says why it is not in service, in words that go after its name; empty while it is in service.
	Out string
}

// Decision says whether a node may be taken out of service, and what that follows from. Use Decide.
type Decision struct {
	// Node is the name of the node.
	Node string
	// Members is how many members the control plane has.
	Members int
	// Needed is how many of them must stay in service.
	Needed int
	// Left is how many would be in service without the node.
	Left int
	// Out are the other members that are not in service.
	Out []Member
	// member says that the node is one itself, and own why that one is not in service, if so.
	member bool
	own    string
}

// Decide says whether a node may be taken out of service, if those are the members of the control plane. A
// node that is no member, or not in service, may always be taken: that disrupts nothing more.
func Decide(node string, members []Member) Decision {
	d := Decision{Node: node, Members: len(members), Needed: len(members)/2 + 1}
	for _, m := range members {
		switch {
		case m.Name == node:
			d.member, d.own = true, m.Out
		case m.Out == "":
			d.Left++
		default:
			d.Out = append(d.Out, m)
		}
	}
	return d
}

// Allowed says whether the node may be taken.
func (d Decision) Allowed() bool { return !d.member || d.own != "" || d.Left >= d.Needed }

// taken says whether the node is out of service already, and not only since it is not ready.
func (d Decision) taken() bool { return d.own != "" && d.own != notReady }

// spare says whether the control plane can do without one member when all are in service.
func (d Decision) spare() bool { return d.Members-1 >= d.Needed }
