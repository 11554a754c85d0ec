// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// withoutProtobuf does not offer protobuf, which our types do not have. A client that prefers protobuf
// but also accepts JSON gets JSON, as for a custom resource, instead of an error.
type withoutProtobuf struct {
	runtime.NegotiatedSerializer
}

// SupportedMediaTypes implements runtime.NegotiatedSerializer.
func (s withoutProtobuf) SupportedMediaTypes() []runtime.SerializerInfo {
	return slices.DeleteFunc(slices.Clone(s.NegotiatedSerializer.SupportedMediaTypes()), func(info runtime.SerializerInfo) bool {
		return info.MediaType == runtime.ContentTypeProtobuf
	})
}
