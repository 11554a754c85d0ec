// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"net"
	"net/url"
)

// Why profiles do not patch some objects.
const (
	serversOwn = "they are objects of the server's own: use hold and release"
	asOneself  = "kube-apiserver lets users give only permissions that they have themselves, and would ask for those of the" +
		" server instead: change roles and bindings yourself"
	decidesForAll = "they decide what others may do in the cluster, and admission would judge the server instead of you: change them yourself"
	credentials   = "they are credentials: change them yourself"
)

// unpatchableGroups are the groups whose objects profiles do not patch, and why.
var unpatchableGroups = map[string]string{
	GroupName:                      serversOwn,
	"store." + GroupName:           serversOwn,
	"rbac.authorization.k8s.io":    asOneself,
	"admissionregistration.k8s.io": decidesForAll,
	"apiextensions.k8s.io":         decidesForAll,
	"apiregistration.k8s.io":       decidesForAll,
	"certificates.k8s.io":          credentials,
}

// unpatchableResources are the resources of the core group that profiles do not patch, and why.
var unpatchableResources = map[string]string{
	"nodes":           "nodes have marks of the server: use patchNode, which leaves them alone",
	"secrets":         credentials,
	"serviceaccounts": credentials,
	"namespaces":      decidesForAll, // by their labels, as that of pod security
}

// WhyUnpatchable says why profiles do not patch objects of a resource; empty: they may.
func WhyUnpatchable(group, resource string) string {
	if group == "" {
		return unpatchableResources[resource]
	}
	return unpatchableGroups[group]
}

// Unencrypted says whether what is sent to a URL goes over a network without encryption, so that no credentials may be in it.
func Unencrypted(to *url.URL) bool {
	ip := net.ParseIP(to.Hostname())
	return to.Scheme == "http" && to.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
