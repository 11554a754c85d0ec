// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// toleration is how long objects count that were read before the API server has stopped to answer, such as while it
// starts again.
const toleration = time.Minute

// trouble is why a resource cannot be read now.
type trouble struct {
	// err is nil if it can be read.
	err error
	// since is when that began.
	since time.Time
}

// with notes how a list or a watch has begun.
func (t trouble) with(err error, now time.Time) trouble {
	switch {
	case err == nil:
		return trouble{}
	case t.err == nil:
		t.since = now
	}
	t.err = err
	return t
}

// matters says whether there is no answer because of it.
func (t trouble) matters(synced bool, now time.Time) bool {
	return t.err != nil && (!synced || forbidden(t.err) || absent(t.err) || now.Sub(t.since) >= toleration)
}

func forbidden(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }

func absent(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) }

// explain says what is wrong, and what helps.
func (s selection) explain(err error) string {
	switch {
	case forbidden(err):
		return fmt.Sprintf("this server may not read %s: grant its ServiceAccount get, list and watch on the resource %s of the"+
			" group %q", s, s.Resource, s.Group)
	case absent(err) && s.namespace != "":
		return s.isAbsent() + ", or it has no namespaces"
	case absent(err):
		return s.isAbsent()
	default:
		return quote.Cut(fmt.Sprintf("could not read %s: %v", s, err), v1beta1.MaxProfileMessageBytes)
	}
}

func (s selection) isAbsent() string {
	return fmt.Sprintf("the cluster has no resource %s in %s that can be watched", s.Resource, s.GroupVersion())
}

// tooMany is why a resource is not watched.
func tooMany() string {
	return fmt.Sprintf("profiles watch %d resources already, and no more are watched: use fewer resources, namespaces and"+
		" selectors in checks of the kind object", v1beta1.MaxWatchedResources)
}
