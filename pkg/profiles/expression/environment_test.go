// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
)

// A release of the server has a version of its own, such as v0.1.0. Expressions are the same in each.
func TestExpressionsOfARelease(t *testing.T) {
	kube, is := compatibility.DefaultComponentGlobalsRegistry.
		EffectiveVersionFor(basecompatibility.DefaultKubeComponent).(basecompatibility.MutableEffectiveVersion)
	if !is {
		t.Fatal("the library has no version to set")
	}
	before := kube.MinCompatibilityVersion()
	t.Cleanup(func() { kube.SetMinCompatibilityVersion(before) })
	kube.SetMinCompatibilityVersion(version.MajorMinor(0, 1))
	if _, err := Node.check(Node.build().NewExpressionsEnv(), "node.metadata.name == 'worker-1'", nil); err != nil {
		t.Errorf("the expression is refused: %v", err)
	}
}
