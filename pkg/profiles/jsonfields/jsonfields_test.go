// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package jsonfields_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/jsonfields"
)

func TestAt(t *testing.T) {
	t.Parallel()
	node := jsonfields.Of[corev1.Node]()
	for path, want := range map[string]string{
		"":                                   "",
		"kind":                               "",
		"metadata.name":                      "",
		"metadata.labels.os":                 "",
		"metadata.creationTimestamp":         "",
		"spec.taints":                        "",
		"status.capacity.cpu":                "",
		"status.nodeInfo.kernelVersion":      "",
		"status.nodeInfo.swap.capacity":      "",
		"status.daemonEndpoints":             "",
		"metadat.name":                       ".metadat: there is no field metadat, but apiVersion, kind, metadata, spec, status",
		"metadata.nam":                       ".metadata.nam: there is no field nam, but annotations, creationTimestamp,",
		"Name":                               ".Name: there is no field Name, but apiVersion",
		"metadata.labels.os.x":               ".metadata.labels.os.x: a single value has no field x",
		"metadata.creationTimestamp.seconds": ".metadata.creationTimestamp.seconds: a single value has no field seconds",
		"spec.taints.key":                    ".spec.taints.key: a list has no field key, but its items may",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			_, err := node.At(strings.FieldsFunc(path, func(r rune) bool { return r == '.' })...)
			if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("At(%s) = %v, want %s", path, err, want)
			}
		})
	}
}

func TestItem(t *testing.T) {
	t.Parallel()
	taints, err := jsonfields.Of[corev1.Node]().At("spec", "taints")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := taints.Item().At("key"); err != nil {
		t.Errorf("At(key) of a taint = %v, want none", err)
	}
	if _, err := taints.Item().At("ke"); err == nil {
		t.Error("At(ke) of a taint succeeded, want an error")
	}
	if _, err := (*jsonfields.Shape)(nil).Item().At("any", "field"); err != nil {
		t.Errorf("At() of what is not known = %v, want none", err)
	}
}
