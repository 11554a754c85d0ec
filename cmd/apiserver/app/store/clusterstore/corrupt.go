// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage"
)

// maxCorrupt is how many corrupt objects an error about a list names.
const maxCorrupt = 100

// corruptObjects are those of a list, so that one error names all, and each can be deleted.
type corruptObjects []error

// add notes an error about an object. It returns the error of the list, where the list must end with it.
func (c *corruptObjects) add(err error) error {
	if !storage.IsCorruptObject(err) {
		return c.failure(err)
	}
	if *c = append(*c, err); len(*c) == maxCorrupt {
		return c.failure(errTooMany)
	}
	return nil
}

// errTooMany says that an error does not name every corrupt object.
var errTooMany = errors.New("too many errors, the list is truncated")

// failure returns the error of the list, nil if there is none. last is what ended it, if it was another error.
func (c *corruptObjects) failure(last error) error {
	if len(*c) == 0 {
		return last
	}
	var causes []metav1.StatusCause
	for _, err := range *c {
		var corrupt *storage.StorageError
		errors.As(err, &corrupt)
		causes = append(causes, metav1.StatusCause{
			Type: metav1.CauseTypeUnexpectedServerResponse, Field: corrupt.Key, Message: err.Error(),
		})
	}
	switch {
	case errors.Is(last, errTooMany):
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: last.Error()})
	case last != nil:
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeUnexpectedServerResponse, Message: last.Error()})
	}
	message := fmt.Sprintf("%d stored objects cannot be read, the first: %v", len(*c), (*c)[0])
	return storeReadError(message, causes)
}

// storeReadError is the error that what is stored cannot be read.
func storeReadError(message string, causes []metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusInternalServerError,
		Reason:  metav1.StatusReasonStoreReadError,
		Message: message,
		Details: &metav1.StatusDetails{Causes: causes},
	}}
}
