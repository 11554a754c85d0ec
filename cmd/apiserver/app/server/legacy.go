// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"
)

// LegacyConfig is which API groups of former operators are served.
type LegacyConfig struct {
	// Versions are the served versions, one of each group.
	Versions []schema.GroupVersion
	// Cluster is a client for the cluster. It must be set if there are versions.
	Cluster metadata.Interface
}

// legacyGroups refuses requests to the groups whose CRDs are installed.
type legacyGroups map[schema.GroupVersion]*installedCRD

// refuseInstalledGroups changes config so that a group is not served while its CRD is installed.
func refuseInstalledGroups(config *genericapiserver.Config, legacy LegacyConfig) legacyGroups {
	groups := legacyGroups{}
	for _, version := range legacy.Versions {
		groups[version] = &installedCRD{version: version, crds: legacy.Cluster.Resource(crds), clock: clock.RealClock{}}
	}
	if len(groups) > 0 {
		wrapAPI(config, func(handler http.Handler) http.Handler { return groups.refuse(handler, config) })
	}
	return groups
}

// refuse answers for the resources of groups that are not served. Discovery is answered as usual: if it
// failed, kube-apiserver would take the group for broken and answer itself, without a reason, and no
// namespace of the cluster could be deleted.
func (g legacyGroups) refuse(handler http.Handler, config *genericapiserver.Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		refusal := g.refusal(req)
		if refusal == "" {
			handler.ServeHTTP(w, req)
			return
		}
		responsewriters.ErrorNegotiated(&apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: refusal,
		}}, config.Serializer, schema.GroupVersion{}, w, req)
	})
}

func (g legacyGroups) refusal(req *http.Request) string {
	info, found := genericapirequest.RequestInfoFrom(req.Context())
	if !found || !info.IsResourceRequest {
		return ""
	}
	crd := g[schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}]
	if crd == nil {
		return ""
	}
	return crd.check(context.WithoutCancel(req.Context())) // the request may end, but others wait for the answer, too
}

// checkAll finds out which groups are served, for the log. It ends with ctx.
func (g legacyGroups) checkAll(ctx context.Context) {
	for _, crd := range g {
		crd.checkAtStart(ctx)
	}
}
