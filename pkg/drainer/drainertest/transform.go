// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
)

// transforms is how many random objects of each kind are transformed.
const transforms = 50

// TransformTwice fails the test if a transform of an informer changes what it returned before. An informer whose watch begins
// with a list (WatchList) transforms each object twice. The objects are filled at random before; those that are not empty
// are transformed as they are, too.
func TransformTwice(t *testing.T, transform cache.TransformFunc, objects ...runtime.Object) {
	t.Helper()
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1), serializer.NewCodecFactory(scheme.Scheme))
	for _, object := range objects {
		for range transforms {
			once := transformed(t, transform, object)
			twice := transformed(t, transform, once.DeepCopyObject())
			if !apiequality.Semantic.DeepEqual(once, twice) {
				t.Fatalf("%T changes when it is transformed again (-once +twice):\n%s", object, cmp.Diff(once, twice))
			}
			if _, isUnstructured := object.(runtime.Unstructured); isUnstructured {
				break
			}
			fill.Fill(object)
		}
	}
}

func transformed(t *testing.T, transform cache.TransformFunc, object runtime.Object) runtime.Object {
	t.Helper()
	result, err := transform(object)
	if err != nil {
		t.Fatal(err)
	}
	return result.(runtime.Object)
}
