// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// CodecFactory makes codecs for a scheme in which a Go type stands for the internal version of a kind and for a served one
// too. The usual codecs set the kind of such an object in place, although others may read it at the same time. These never
// change what they encode. What they decode has no kind, as everything of the internal version.
type CodecFactory struct {
	serializer.CodecFactory
}

// NewCodecFactory returns the codecs for a scheme.
func NewCodecFactory(scheme *runtime.Scheme, options ...serializer.CodecFactoryOptionsMutator) CodecFactory {
	return CodecFactory{serializer.NewCodecFactory(scheme, options...)}
}

// EncoderForVersion implements runtime.NegotiatedSerializer.
func (f CodecFactory) EncoderForVersion(encoder runtime.Encoder, version runtime.GroupVersioner) runtime.Encoder {
	return copying{f.CodecFactory.EncoderForVersion(encoder, version).(runtime.EncoderWithAllocator)}
}

// DecoderToVersion implements runtime.NegotiatedSerializer.
func (f CodecFactory) DecoderToVersion(decoder runtime.Decoder, version runtime.GroupVersioner) runtime.Decoder {
	return withoutKind{f.CodecFactory.DecoderToVersion(decoder, version)}
}

// LegacyCodec encodes objects as JSON in one of the versions, and decodes them to the internal version.
func (f CodecFactory) LegacyCodec(versions ...schema.GroupVersion) runtime.Codec {
	codec := f.CodecFactory.LegacyCodec(versions...)
	return runtime.NewCodec(copying{codec.(runtime.EncoderWithAllocator)}, withoutKind{codec})
}

// copying encodes a copy of each object. The copy is not deep: only the kind is set in it. Objects that keep what was
// encoded of them make the copy themselves.
type copying struct{ runtime.EncoderWithAllocator }

// Encode implements runtime.Encoder.
func (e copying) Encode(obj runtime.Object, w io.Writer) error {
	return e.EncoderWithAllocator.Encode(shallowCopy(obj), w)
}

// EncodeWithAllocator implements runtime.EncoderWithAllocator.
func (e copying) EncodeWithAllocator(obj runtime.Object, w io.Writer, allocator runtime.MemoryAllocator) error {
	return e.EncoderWithAllocator.EncodeWithAllocator(shallowCopy(obj), w, allocator)
}

func shallowCopy(obj runtime.Object) runtime.Object {
	if _, copies := obj.(runtime.CacheableObject); copies {
		return obj
	}
	shown := reflect.New(reflect.TypeOf(obj).Elem())
	shown.Elem().Set(reflect.ValueOf(obj).Elem())
	return shown.Interface().(runtime.Object)
}

// withoutKind decodes objects that do not say of which kind they are.
type withoutKind struct{ runtime.Decoder }

// Decode implements runtime.Decoder.
func (d withoutKind) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := d.Decoder.Decode(data, defaults, into)
	if obj != nil {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj, kind, err
}
