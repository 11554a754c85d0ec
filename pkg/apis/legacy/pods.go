// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import "strings"

// Pod names a pod.
type Pod struct {
	// Namespace is empty if it is not known.
	Namespace string
	Name      string
}

// PodNames are the names of the pending pods, without their namespaces.
func (s Status) PodNames() []string {
	var names []string
	for _, pod := range s.PendingPods {
		names = append(names, pod.Name)
	}
	return names
}

// PodsWithoutNamespace are pods of which only the names are known.
func PodsWithoutNamespace(names []string) []Pod {
	var pods []Pod
	for _, name := range names {
		pods = append(pods, Pod{Name: name})
	}
	return pods
}

// podsOf reads pods that are written as namespace/name.
func podsOf(keys []string) []Pod {
	var pods []Pod
	for _, key := range keys {
		namespace, name, found := strings.Cut(key, "/")
		if !found {
			namespace, name = "", key
		}
		pods = append(pods, Pod{Namespace: namespace, Name: name})
	}
	return pods
}
