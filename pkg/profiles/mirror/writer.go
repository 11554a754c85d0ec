// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// foreignIsNew is how old a write of a program may be for the controller to be taken to run. It is as long as the shadow
// counts it, so that an old one is overwritten.
const foreignIsNew = 15 * time.Minute

// people are the beginnings of the names by which programs that people use write.
var people = []string{"kubectl", "Lens", "k9s", "oc", "Mozilla", "rancher"}

// lastWriter returns who has last written the label or the annotation of the controller, and when, as the managed fields
// say. It is empty if they do not. What also owns our mark is this server.
func lastWriter(node *corev1.Node) (manager string, at time.Time) {
	for _, entry := range node.ManagedFields {
		if entry.FieldsV1 == nil || entry.Time == nil || !entry.Time.After(at) {
			continue
		}
		fields := entry.FieldsV1.GetRawString()
		if strings.Contains(fields, `"f:`+MarkAnnotation+`"`) {
			continue
		}
		if strings.Contains(fields, `"f:`+sapdata.Annotation+`"`) || strings.Contains(fields, `"f:`+v1beta1.StateLabel+`"`) {
			manager, at = entry.Manager, entry.Time.Time
		}
	}
	return manager, at
}

// isProgram says whether a write was not a person's.
func isProgram(manager string) bool {
	if manager == "" {
		return false
	}
	for _, prefix := range people {
		if strings.HasPrefix(manager, prefix) {
			return false
		}
	}
	return true
}
