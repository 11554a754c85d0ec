// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes objects as the store has them. What a newer version of the server has stored,
// and this one does not know, survives each write of this one. So during an upgrade two versions can use the
// same store, and after a rollback the newer one finds again what it has written.
package stored

import (
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Codec encodes objects for the store, and decodes them. It writes the version v1beta1 as JSON.
var Codec runtime.Codec = codec{
	Codec:  scheme.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion),
	strict: serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).LegacyCodec(v1beta1.SchemeGroupVersion),
}

// codec adds the unknown fields to the codec of the scheme, which drops them.
type codec struct {
	runtime.Codec
	// strict decodes in the same pass as Codec does, and also says whether there is a field that it does not
	// know.
	strict runtime.Decoder
}

// Decode implements runtime.Decoder. Only an object with fields that are not known is read twice.
func (c codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := c.strict.Decode(data, defaults, into)
	known := err == nil
	if !known && !runtime.IsStrictDecodingError(err) {
		return nil, kind, err
	}
	if hold, ok := obj.(*maintenance.NodeMaintenance); ok {
		if hold.Unknown, err = c.unknown(data, hold, known); err != nil {
			return nil, kind, fmt.Errorf("could not keep what a newer version stored in NodeMaintenance %s: %w", hold.Name, err)
		}
	}
	return obj, kind, nil
}

// unknown is what data has beyond what this version writes of the hold; nothing if it is known to have nothing.
func (c codec) unknown(data []byte, hold *maintenance.NodeMaintenance, nothing bool) (maintenance.UnknownFields, error) {
	if nothing {
		return "", nil
	}
	whole, err := read(data)
	if err != nil {
		return "", err
	}
	known, err := runtime.Encode(c.Codec, hold)
	if err != nil {
		return "", err
	}
	ours, err := read(known)
	if err != nil {
		return "", err
	}
	return pack(beyond(nil, whole, ours))
}

// Encode implements runtime.Encoder.
func (c codec) Encode(obj runtime.Object, w io.Writer) error {
	hold, ok := obj.(*maintenance.NodeMaintenance)
	if !ok || hold.Unknown == "" {
		return c.Codec.Encode(obj, w)
	}
	if err := c.encodeWhole(hold, w); err != nil {
		return fmt.Errorf("could not keep what a newer version stored in NodeMaintenance %s: %w", hold.Name, err)
	}
	return nil
}

// encodeWhole encodes the hold with its unknown fields.
func (c codec) encodeWhole(hold *maintenance.NodeMaintenance, w io.Writer) error {
	known, err := runtime.Encode(c.Codec, hold)
	if err != nil {
		return err
	}
	object, err := read(known)
	if err != nil {
		return err
	}
	parts, err := unpack(hold.Unknown)
	if err != nil {
		return err
	}
	for _, p := range parts {
		p.putBack(object)
	}
	return write(object, w)
}
