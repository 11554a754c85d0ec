// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// read returns the fields of an object. Numbers stay as they are written, so that none loses digits.
func read(data []byte) (fields map[string]any, err error) {
	return fields, decode(data, &fields)
}

func write(fields map[string]any, w io.Writer) error { return json.NewEncoder(w).Encode(fields) }

// pack returns the parts in the form that an object carries; empty if there are none.
func pack(parts []part) (v1beta1.UnknownFields, error) {
	if len(parts) == 0 {
		return "", nil
	}
	packed, err := json.Marshal(parts)
	return v1beta1.UnknownFields(packed), err
}

// unpack is the reverse of pack.
func unpack(packed v1beta1.UnknownFields) (parts []part, err error) {
	return parts, decode([]byte(packed), &parts)
}

func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}
