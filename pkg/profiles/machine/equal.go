// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Same says whether two statuses are stored alike.
func Same(a, b *v1beta1.NodeProfileStatus) bool {
	return apiequality.Semantic.DeepEqual(a, b)
}
