// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func encoderTo(version schema.GroupVersion) runtime.Encoder {
	info, _ := runtime.SerializerInfoForMediaType(Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	return Codecs.EncoderForVersion(info.Serializer, version)
}

// Objects in caches are encoded for many requests at the same time. The race detector sees whoever changes them.
func TestEncodeChangesNothing(t *testing.T) {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: "worker-1"}}
	list := &v1beta1.NodeMaintenanceList{Items: []v1beta1.NodeMaintenance{*hold}}
	withAllocator := func(version schema.GroupVersion) runtime.Encoder {
		return runtime.NewEncoderWithAllocator(encoderTo(version).(runtime.EncoderWithAllocator), &runtime.Allocator{})
	}
	for name, encoder := range map[string]func(schema.GroupVersion) runtime.Encoder{
		"answer": encoderTo, "watch": withAllocator,
		"store": func(version schema.GroupVersion) runtime.Encoder { return Codecs.LegacyCodec(version) },
	} {
		t.Run(name, func(t *testing.T) {
			var wait sync.WaitGroup
			for _, version := range []schema.GroupVersion{v1beta1.SchemeGroupVersion, medik8sv1beta1.SchemeGroupVersion} {
				for kind, object := range map[string]runtime.Object{"NodeMaintenance": hold, "NodeMaintenanceList": list} {
					wait.Go(func() { wantKind(t, encoder(version), object, version.WithKind(kind)) })
				}
			}
			wait.Wait()
		})
	}
}

// wantKind encodes the object, which has no kind while that goes on, and what is encoded has.
func wantKind(t *testing.T, encoder runtime.Encoder, object runtime.Object, want schema.GroupVersionKind) {
	var encoded strings.Builder
	seen := writerFunc(func(data []byte) (int, error) {
		if kind := object.GetObjectKind().GroupVersionKind(); !kind.Empty() {
			t.Errorf("while it is encoded, the object is a %s", kind)
		}
		return encoded.Write(data)
	})
	if err := encoder.Encode(object, seen); err != nil {
		t.Error(err)
	}
	apiVersion, kind := want.ToAPIVersionAndKind()
	if start := fmt.Sprintf(`{"kind":%q,"apiVersion":%q,`, kind, apiVersion); !strings.HasPrefix(encoded.String(), start) {
		t.Errorf("got %.100s, want %s", encoded.String(), start)
	}
	if count := strings.Count(encoded.String(), `"kind"`); count != 1 {
		t.Errorf("%d parts have a kind, want the whole alone: %s", count, encoded.String())
	}
}

type writerFunc func([]byte) (int, error)

// Write implements io.Writer.
func (w writerFunc) Write(data []byte) (int, error) { return w(data) }

var _ io.Writer = writerFunc(nil)

// If decoded objects had a kind, so would the items of lists that are made of them.
func TestDecodedObjectsHaveNoKind(t *testing.T) {
	for _, version := range []schema.GroupVersion{v1beta1.SchemeGroupVersion, medik8sv1beta1.SchemeGroupVersion} {
		data := []byte(fmt.Sprintf(`{"kind":"NodeMaintenance","apiVersion":%q,"spec":{"nodeName":"worker-1"}}`, version))
		hub := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
		for name, decoder := range map[string]runtime.Decoder{
			"request": Codecs.DecoderToVersion(Codecs.UniversalDeserializer(), hub), "store": Codecs.LegacyCodec(version),
		} {
			for _, into := range []runtime.Object{nil, &v1beta1.NodeMaintenance{}} {
				got, kind, err := decoder.Decode(data, nil, into)
				if err != nil {
					t.Fatal(err)
				}
				hold, isHold := got.(*v1beta1.NodeMaintenance)
				if !isHold || hold.Spec.NodeName != "worker-1" || !hold.GroupVersionKind().Empty() || *kind != version.WithKind("NodeMaintenance") {
					t.Errorf("%s of %s into %T: got %+v of kind %s", name, version, into, got, kind)
				}
			}
		}
	}
}

// OpenAPI says of which kinds a type is, and clients find the schema of a kind by that.
func TestServedVersions(t *testing.T) {
	served := Served()
	for kind := range Scheme.AllKnownTypes() {
		if got, want := served.Recognizes(kind), kind.Version != runtime.APIVersionInternal; got != want {
			t.Errorf("%s is served: %v, want %v", kind, got, want)
		}
	}
}
