// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/client-go/tools/cache"

	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	listers "github.com/medik8s/maintenance-apiserver/pkg/generated/listers/maintenance/v1beta1"
)

// Profiles are those that Watch keeps up to date, for others in this process that follow them.
func (e *Engine) Profiles() cache.SharedIndexInformer { return e.profiles }

// NodeProfiles are those that Watch keeps up to date, with the indexes v1beta1.FieldNodeName and v1beta1.FieldProfile.
func (e *Engine) NodeProfiles() informers.NodeProfileInformer { return shared{e.nodeProfiles} }

// shared is a cache that others use, too.
type shared struct{ informer cache.SharedIndexInformer }

func (s shared) Informer() cache.SharedIndexInformer { return s.informer }

func (s shared) Lister() listers.NodeProfileLister {
	return listers.NewNodeProfileLister(s.informer.GetIndexer())
}
