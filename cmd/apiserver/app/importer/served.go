// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// serving is how long the API servers may take until they all serve a CRD that was just installed, about 10
// seconds in all: several of them wait 5 seconds for each other.
var serving = wait.Backoff{Duration: 150 * time.Millisecond, Factor: 2, Steps: 7}

// notServedError says that a CRD is there, but nobody answers for its objects. That passes if it was just
// installed, or is just being removed. The objects may be for nodes, so the import does not go on without them.
type notServedError struct {
	crd, why string
}

func (e *notServedError) Error() string {
	return fmt.Sprintf("the CRD %s is there, but its objects are not served: %s; if it was just installed or deleted, "+
		"run this command again in a few seconds", e.crd, e.why)
}

// untilServed asks again while a CRD is there and not served, for as long as the importer is patient. It
// returns other errors at once.
func (i *importer) untilServed(ctx context.Context, ask func(context.Context) error) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, i.patience, func(ctx context.Context) (bool, error) {
		var notServed *notServedError
		last = ask(ctx)
		if errors.As(last, &notServed) {
			return false, nil
		}
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

// established fails if the CRD is not, or not yet, established: then its objects are not served.
func established(s source, crd *unstructured.Unstructured) error {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	why := "it is not established yet"
	for _, condition := range conditions {
		c, _ := condition.(map[string]any)
		message, _ := c["message"].(string)
		switch {
		case c["type"] == "Established" && c["status"] == "True":
			return nil
		case c["type"] == "NamesAccepted" && c["status"] == "False":
			why = "its names are not accepted: " + message
		}
	}
	return &notServedError{crd: s.crd(), why: why}
}

// objectsOf lists the objects of a source whose CRD was there a moment ago. If the CRD has gone, so have they.
func (i *importer) objectsOf(ctx context.Context, s source, version string) (found []unstructured.Unstructured, err error) {
	err = i.untilServed(ctx, func(ctx context.Context) error {
		list, err := i.dynamic.Resource(s.resource(version)).List(ctx, metav1.ListOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return i.gone(ctx, s, err)
		case err != nil:
			return fmt.Errorf("could not list %s: %w", s.crd(), err)
		}
		found = list.Items
		return nil
	})
	return found, err
}

// gone fails if the CRD of objects that are not served is there.
func (i *importer) gone(ctx context.Context, s source, notFound error) error {
	_, err := i.dynamic.Resource(crds).Get(ctx, s.crd(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("could not get CRD %s: %w", s.crd(), err)
	default:
		return &notServedError{crd: s.crd(), why: notFound.Error()}
	}
}
