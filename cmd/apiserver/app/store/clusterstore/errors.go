// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/storage"
)

// tooLarge is what etcd says of an object that is too large for it. The API server passes it on as an internal error.
const tooLarge = "etcdserver: request is too large"

// interpret turns an error of the cluster's API into one of a store. An answer that a user can act on stays as it is:
// the history is gone (410), there is too much to do (429, with the time to wait).
func (s *Store) interpret(err error, key string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return s.interpretNotFound(err, key)
	case apierrors.IsAlreadyExists(err):
		return storage.NewKeyExistsError(key, 0)
	case apierrors.IsConflict(err):
		return storage.NewResourceVersionConflictsError(key, 0)
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return storage.NewInternalError(fmt.Errorf("the cluster does not let the server use its store: %w", err))
	case apierrors.IsInvalid(err) && !isAboutOptions(err):
		return storage.NewInternalError(fmt.Errorf("the cluster does not store %s: %w", key, err))
	case strings.Contains(err.Error(), tooLarge):
		return apierrors.NewRequestEntityTooLargeError("the cluster that stores the object refuses it: " + tooLarge)
	case errors.Is(err, context.DeadlineExceeded):
		return apierrors.NewTimeoutError("the cluster that stores the objects did not answer in time", 0)
	case errors.Is(err, context.Canceled):
		return err
	case wasNotSent(err):
		return storage.NewUnreachableError(key, 0)
	case hasNoAnswer(err):
		return apierrors.NewTimeoutError("the connection to the cluster that stores the objects ended before it answered", 0)
	default:
		return err
	}
}

// wasNotSent says whether there was no connection for the request. So it did nothing, and the registry tells the client
// to send its own again.
func wasNotSent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// hasNoAnswer says whether the answer was lost. The cluster may have done what it was asked to, so the client must not
// repeat its request by itself: it would create an object twice.
func hasNoAnswer(err error) bool {
	var request *url.Error
	return errors.As(err, &request)
}

// interpretNotFound tells an object that does not exist from a kind that the cluster does not serve.
func (s *Store) interpretNotFound(err error, key string) error {
	if isMissingObject(err) {
		return storage.NewKeyNotFoundError(key, 0)
	}
	return storage.NewInternalError(fmt.Errorf("the cluster does not serve %s; install its CRD: %w", s.Kind, err))
}

// isMissingObject says whether an object does not exist, while its kind does.
func isMissingObject(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Name != ""
}

// isAboutOptions says whether what is invalid are the options of a list or a watch, which the user has set.
func isAboutOptions(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "ListOptions"
}
