// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// newTestStore returns a store of the library's example pods, in a cluster.
func newTestStore(t *testing.T, cluster dynamic.Interface) *Store {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	s := New(Config{
		Client: cluster, Kind: testKind, Prefix: "/things", Attributes: podAttributes,
		Codec: apitesting.TestCodec(serializer.NewCodecFactory(scheme), examplev1.SchemeGroupVersion),
		New:   func() runtime.Object { return &example.Pod{} },
	})
	t.Cleanup(s.Close)
	return s
}

func podAttributes(object runtime.Object) (labels.Set, fields.Set, error) {
	pod, ok := object.(*example.Pod)
	if !ok {
		return nil, nil, errors.New("not a pod")
	}
	return pod.Labels, fields.Set{"spec.nodeName": pod.Spec.NodeName, "status.phase": string(pod.Status.Phase)}, nil
}

// newTestCluster returns a cluster that has no envelopes of the test kind yet.
func newTestCluster() *dynamicfake.FakeDynamicClient {
	lists := map[schema.GroupVersionResource]string{testKind.GVR(): testKind.Name + "List"}
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists)
}

func newPod(name string) *example.Pod {
	return &example.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u"}}
}

// giveVersions gives what is created a resourceVersion, as a cluster does.
func giveVersions(cluster *dynamicfake.FakeDynamicClient) {
	cluster.PrependReactor("create", testKind.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		action.(clienttesting.CreateAction).GetObject().(metav1.Object).SetResourceVersion("5")
		return false, nil, nil
	})
}
