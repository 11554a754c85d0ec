// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
)

const isTrue = "true"

// updateOf is the value of UpdateLabel. Build metadata, which distributions add, is no part of a version.
func updateOf(node *corev1.Node, server string) (string, error) {
	kubelet, err := version.ParseSemantic(node.Status.NodeInfo.KubeletVersion)
	if err != nil {
		return "", fmt.Errorf("its kubelet has no version: %w", err)
	}
	wanted, err := version.ParseSemantic(server)
	if err != nil {
		return "", fmt.Errorf("the API server has no version: %w", err)
	}
	return strconv.FormatBool(!kubelet.EqualTo(wanted)), nil
}
