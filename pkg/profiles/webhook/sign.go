// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a call.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// encodedKey is how keys begin that are written as the standard recommends: base64 follows.
const encodedKey = "whsec_"

var errKey = errors.New("what follows " + encodedKey + " in the key hmacKey is not base64")

// sign sets the headers of a call. Without a key it is not signed.
func sign(headers http.Header, key []byte, id string, now time.Time, body []byte) error {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	headers.Set(headerID, id)
	headers.Set(headerTimestamp, timestamp)
	if len(key) == 0 {
		return nil
	}
	key, err := decoded(key)
	if err != nil {
		return err
	}
	code := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(code, "%s.%s.%s", id, timestamp, body) // a hash never fails
	headers.Set(headerSignature, "v1,"+base64.StdEncoding.EncodeToString(code.Sum(nil)))
	return nil
}

// decoded is the key itself. A key in another form is used as it is.
func decoded(key []byte) ([]byte, error) {
	encoded, is := strings.CutPrefix(strings.TrimSpace(string(key)), encodedKey)
	if !is {
		return key, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errKey // the library's error quotes some of it
	}
	return decoded, nil
}
