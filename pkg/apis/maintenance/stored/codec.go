// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes objects as the store has them. What a newer version of the server has stored,
// and this one does not know, survives each write of this one. So during an upgrade two versions can use the
// same store, and after a rollback the newer one finds again what it has written.
package stored

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Codec encodes objects for the store, and decodes them. It writes the version v1beta1 as JSON.
var Codec runtime.Codec = codec{
	Codec:  scheme.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion),
	strict: scheme.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).LegacyCodec(v1beta1.SchemeGroupVersion),
}

// codec adds the unknown fields to the codec of the scheme, which drops them.
type codec struct {
	runtime.Codec
	// strict decodes in the same pass as Codec does, and also says whether there is a field that it does not
	// know.
	strict runtime.Decoder
}

// Decode implements runtime.Decoder. Only an object with fields that are not known is read twice. For an object that cannot
// be read it returns one with v1beta1.UnreadableAnnotation, if the data says what kind it is of, and its name.
func (c codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := c.decode(data, defaults, into)
	why := ""
	if err != nil {
		why = err.Error()
	} else if object, ok := obj.(v1beta1.Stored); ok {
		why = v1beta1.WhyUnreadable(object)
	}
	if why == "" {
		return obj, kind, err
	}
	if aside := setAside(data, why, into); aside != nil {
		return aside, kind, nil
	}
	return nil, kind, errors.New(why)
}

func (c codec) decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, kind, err := c.strict.Decode(data, defaults, into)
	known := err == nil
	if !known && !runtime.IsStrictDecodingError(err) {
		return nil, kind, err
	}
	if object, ok := obj.(v1beta1.Stored); ok {
		if *object.UnknownFields(), err = c.unknown(data, object, known); err != nil {
			return nil, kind, notKept(object, err)
		}
	}
	return obj, kind, nil
}

// unknown is what data has beyond what this version writes of the object; nothing if it is known to have nothing.
func (c codec) unknown(data []byte, object v1beta1.Stored, nothing bool) (v1beta1.UnknownFields, error) {
	if nothing {
		return "", nil
	}
	whole, err := read(data)
	if err != nil {
		return "", err
	}
	known, err := runtime.Encode(c.Codec, object)
	if err != nil {
		return "", err
	}
	ours, err := read(known)
	if err != nil {
		return "", err
	}
	return pack(kinds[kindOf(object)].beyond(nil, whole, ours))
}

// Encode implements runtime.Encoder. It refuses what Decode could not read.
func (c codec) Encode(obj runtime.Object, w io.Writer) error {
	if err := checkYears(reflect.ValueOf(obj)); err != nil {
		return err
	}
	object, ok := obj.(v1beta1.Stored)
	if !ok || *object.UnknownFields() == "" {
		return c.Codec.Encode(obj, w)
	}
	if err := c.encodeWhole(object, w); err != nil {
		return notKept(object, err)
	}
	return nil
}

// encodeWhole encodes the object with its unknown fields.
func (c codec) encodeWhole(object v1beta1.Stored, w io.Writer) error {
	known, err := runtime.Encode(c.Codec, object)
	if err != nil {
		return err
	}
	fields, err := read(known)
	if err != nil {
		return err
	}
	parts, err := unpack(*object.UnknownFields())
	if err != nil {
		return err
	}
	for _, p := range parts {
		p.putBack(fields)
	}
	return write(fields, w)
}

func notKept(object v1beta1.Stored, err error) error {
	return fmt.Errorf("could not keep what a newer version stored in %s %s: %w", kindOf(object), object.GetName(), err)
}
