// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// unpatchable are the groups whose objects profiles do not patch, and why.
var unpatchable = map[string]string{
	GroupName:            "objects of group " + GroupName + " are the server's own: use hold and release",
	"store." + GroupName: "objects of group store." + GroupName + " are the server's own: use hold and release",
	"rbac.authorization.k8s.io": "kube-apiserver lets users give only permissions that they have themselves, and would ask" +
		" for those of the server instead: change roles and bindings yourself",
}

// WhyUnpatchable says why profiles do not patch objects of a resource; empty: they may.
func WhyUnpatchable(group, resource string) string {
	if group == "" && resource == "nodes" {
		return "nodes have marks of the server: use patchNode, which leaves them alone"
	}
	return unpatchable[group]
}
