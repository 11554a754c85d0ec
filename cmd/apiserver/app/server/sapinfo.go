// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapinfo"
)

// SAPConfig is for those who come from the SAP maintenance-controller.
type SAPConfig struct {
	// Mirrors writes what the controller has, and Namespace is where its Lease is.
	Mirrors   bool
	Namespace string
	// Info answers what its dashboard asks, and InfoLabels are the labels of nodes that it shows.
	Info       bool
	InfoLabels []string
}

// openPath changes config so that who asks as the dashboard does needs the right to list NodeProfiles, which is what the
// answer is made from. As a path alone it would be open: by default, everybody may get what is below /api.
func (c SAPConfig) openPath(config *genericapiserver.Config) {
	if c.Info {
		config.RequestInfoResolver = asList{config.RequestInfoResolver}
	}
}

// asList takes what the dashboard asks for a list of NodeProfiles.
type asList struct{ apirequest.RequestInfoResolver }

// NewRequestInfo implements apirequest.RequestInfoResolver.
func (l asList) NewRequestInfo(r *http.Request) (*apirequest.RequestInfo, error) {
	if r.URL.Path != sapinfo.Path {
		return l.RequestInfoResolver.NewRequestInfo(r)
	}
	return &apirequest.RequestInfo{
		IsResourceRequest: true, Path: r.URL.Path, Verb: "list", APIPrefix: "apis",
		APIGroup: v1beta1.GroupName, APIVersion: v1beta1.SchemeGroupVersion.Version, Resource: "nodeprofiles",
	}, nil
}

// answer has the server answer the dashboard.
func (c SAPConfig) answer(generic *genericapiserver.GenericAPIServer, client versioned.Interface, nodes func() ([]*corev1.Node, error)) {
	if c.Info {
		generic.Handler.NonGoRestfulMux.Handle(sapinfo.Path, sapinfo.New(sapinfo.Config{Maintenance: client, Nodes: nodes, Labels: c.InfoLabels}))
	}
}
