// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"slices"
	"strings"
	"testing"
)

const objectsForTest = `# Source: namespace.yaml
apiVersion: v1
kind: Namespace
metadata: {name: home}
---
# Source: service.yaml
apiVersion: v1
kind: Service
metadata: {name: server}
`

func TestDecodeObjects(t *testing.T) {
	objects, err := decodeObjects(strings.NewReader(objectsForTest))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		got = append(got, object.GetKind()+" "+object.GetName())
	}
	if want := []string{"Namespace home", "Service server"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := decodeObjects(strings.NewReader("kind: [")); err == nil {
		t.Error("what is not YAML is read without an error")
	}
}

// The server is registered with its port on loopback as soon as it has one.
func TestChartValues(t *testing.T) {
	c := newTestCluster(t)
	if got := c.chartValues(); slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, "service.port=") }) {
		t.Errorf("got the values %q, want no port before the first start", got)
	}
	c.state.ServerPort = 1234
	for _, want := range []string{"service.port=1234", "service.externalAddress=localhost", "replicaCount=0"} {
		if got := c.chartValues(); !slices.Contains(got, want) {
			t.Errorf("got the values %q, want %s", got, want)
		}
	}
}
