// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
)

const (
	// crdCheckInterval is how long the answer about a CRD is believed. A group is served at the latest so
	// long after its CRD is gone.
	crdCheckInterval = 10 * time.Second
	// crdCheckTimeout bounds how long a request waits for that answer.
	crdCheckTimeout = 5 * time.Second
)

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// installedCRD knows whether the CRD of a former operator is installed. As long as it is, the cluster may
// have objects that this server does not know, and would serve others under the same names.
type installedCRD struct {
	version schema.GroupVersion
	crds    metadata.Getter
	clock   clock.PassiveClock

	mu      sync.Mutex
	checked time.Time
	// refusal says why the group is not served; empty if it is.
	refusal string
}

// check returns why the group is not served now; empty if it is. It asks the cluster only if the last
// answer is too old.
func (c *installedCRD) check(ctx context.Context) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current(ctx)
}

// checkAtStart is check before a request has done it. It ends with ctx.
func (c *installedCRD) checkAtStart(ctx context.Context) {
	if c.mu.TryLock() { // else a request is asking
		defer c.mu.Unlock()
		c.current(ctx)
	}
}

func (c *installedCRD) current(ctx context.Context) string {
	if !c.checked.IsZero() && c.clock.Since(c.checked) < crdCheckInterval {
		return c.refusal
	}
	refusal, answered := c.ask(ctx)
	if ctx.Err() != nil { // the server stops
		return refusal
	}
	if !answered && !c.checked.IsZero() {
		refusal = c.refusal
	}
	if refusal != "" && refusal != c.refusal {
		klog.FromContext(ctx).Info("An API group is not served", "groupVersion", c.version, "why", refusal)
	}
	if refusal == "" && c.refusal != "" {
		klog.FromContext(ctx).Info("An API group is served now", "groupVersion", c.version)
	}
	c.refusal, c.checked = refusal, c.clock.Now()
	return c.refusal
}

func (c *installedCRD) ask(ctx context.Context) (refusal string, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, crdCheckTimeout)
	defer cancel()
	name, instead := "nodemaintenances."+c.version.Group, "import its objects with maintenance-apiserver import"
	if c.version == managedv1alpha1.SchemeGroupVersion {
		name, instead = managedv1alpha1.Plural+"."+c.version.Group, "keep a copy of those of its objects that are to be done"
	}
	_, err := c.crds.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", true
	case err == nil:
		return fmt.Sprintf("%s is not served by maintenance-apiserver while the CRD %s is installed: "+
			"%s, then delete the CRD", c.version, name, instead), true
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("%s is not served by maintenance-apiserver, since it may not find out whether the CRD %s is installed: "+
			"set the chart's value legacyGroups, which permits it: %v", c.version, name, err), true
	default:
		return fmt.Sprintf("%s is not served by maintenance-apiserver until it knows whether the CRD %s is installed: "+
			"try again: %v", c.version, name, err), false
	}
}
