// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// place is an instance and its region.
type place struct {
	// region is empty if the node does not tell it.
	region, instance string
}

var (
	// zonePattern is a zone: that of a region, such as eu-central-1a, or one beside it, such as the local zone
	// us-west-2-lax-1a or the wavelength zone us-east-1-wl1-bos-wlz-1. Hosts are named after regions, so that nothing else
	// may pass: what a node says of itself is not to be trusted.
	zonePattern = regexp.MustCompile(`^([a-z]{2,4}(?:-[a-z]{1,16}){1,3}-[0-9]{1,2})(?:[a-z]|-[a-z0-9-]{1,32})?$`)
	// instancePattern is the id of an instance, an old or a new one. One id of another form would have EC2 refuse all
	// that are asked for together.
	instancePattern = regexp.MustCompile(`^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$`)
)

// placeOf says which instance a node is. These provider ids are instances:
//
//	aws:///eu-central-1a/i-0123456789abcdef0
//	aws:///us-west-2-lax-1a/i-0123456789abcdef0   a local zone of us-west-2
//	aws:////i-0123456789abcdef0, i-0123456789abcdef0   the region is that of the node's label, else that of the server
//
// All others are not: Fargate, hybrid nodes, and nodes of other clouds.
func placeOf(node *corev1.Node) (found place, is bool) {
	id, isAWS := strings.CutPrefix(node.Spec.ProviderID, "aws://")
	if !isAWS && strings.Contains(id, "/") {
		return place{}, false
	}
	path := strings.Split(id, "/")
	instance := path[len(path)-1]
	if !instancePattern.MatchString(instance) {
		return place{}, false
	}
	region := ""
	if len(path) > 1 {
		region = regionOf(path[len(path)-2])
	}
	if region == "" {
		region = regionOf(node.Labels[corev1.LabelTopologyRegion])
	}
	return place{region: region, instance: instance}, true
}

// regionOf returns the region of a zone, or of a region; empty if it is neither.
func regionOf(zone string) string {
	if match := zonePattern.FindStringSubmatch(zone); match != nil {
		return match[1]
	}
	return ""
}
