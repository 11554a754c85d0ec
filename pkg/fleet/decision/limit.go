// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// resolve is a limit as a number, given of how many nodes a share is taken.
func resolve(limit intstr.IntOrString, base int) (int, error) {
	share, isShare := strings.CutSuffix(limit.StrVal, "%")
	switch {
	case limit.Type == intstr.Int && limit.IntVal >= 0:
		return int(limit.IntVal), nil
	case limit.Type == intstr.String && isShare:
		percent, err := strconv.ParseUint(share, 10, 8)
		if err != nil || percent > 100 {
			return 0, fmt.Errorf("%q is not a share from 0%% to 100%%", limit.StrVal)
		}
		if percent == 0 {
			return 0, nil
		}
		return max(1, base*int(percent)/100), nil
	default:
		return 0, fmt.Errorf("%q is neither a number of nodes nor a share of them", limit.String())
	}
}

// base is of how many of the nodes a share is taken.
func base(nodes []*corev1.Node, now time.Time) int {
	n := 0
	for _, node := range nodes {
		if !joining(node, now) {
			n++
		}
	}
	return n
}
