// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"io"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// BenchmarkEncode encodes a hold that is being drained, as each write does, with this codec and with the one that checks
// nothing.
func BenchmarkEncode(b *testing.B) {
	hold := drainingHold().hold
	for name, codec := range map[string]runtime.Codec{"unchecked": scheme.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion), "ours": Codec} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := runtime.Encode(codec, hold); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAnswer encodes what clients get, as the API groups do: a list of 1000 holds, and the hold of an event of a watch.
func BenchmarkAnswer(b *testing.B) {
	hold := drainingHold().hold
	list := &v1beta1.NodeMaintenanceList{}
	for range 1000 {
		list.Items = append(list.Items, *hold)
	}
	json, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	encoder := scheme.Codecs.EncoderForVersion(json.Serializer, v1beta1.SchemeGroupVersion)
	for name, object := range map[string]runtime.Object{"list": list, "event": hold} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := encoder.Encode(object, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode decodes a hold that is being drained, as each event of a watch does, with this codec and with
// the one that drops what it does not know.
func BenchmarkDecode(b *testing.B) {
	usual := encoded(b, drainingHold().hold)
	dropping := scheme.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion)
	benchmarks := []struct {
		name  string
		codec runtime.Codec
		data  string
	}{
		{name: "unknown fields dropped", codec: dropping, data: usual},
		{name: "none unknown", codec: Codec, data: usual},
		{name: "one unknown", codec: Codec, data: strings.Replace(usual, `"spec":{`, `"spec":{"new":1,`, 1)},
	}
	for _, benchmark := range benchmarks {
		b.Run(benchmark.name, func(b *testing.B) {
			b.ReportAllocs()
			data := []byte(benchmark.data)
			for b.Loop() {
				if _, err := runtime.Decode(benchmark.codec, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSettingAside looks whether a hold that is being drained has to be set aside, before it is decoded.
func BenchmarkSettingAside(b *testing.B) {
	hold := drainingHold().hold
	data, transformer := []byte(encoded(b, hold)), SettingAside(identity.NewEncryptCheckTransformer(), hold)
	key := value.DefaultContext("/registry/" + hold.Name)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := transformer.TransformFromStorage(b.Context(), data, key); err != nil {
			b.Fatal(err)
		}
	}
}
