// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// clusterOptions have the registry's resources stored in the cluster. No watch cache is in front: it would wait for
// revisions that only a write of the same kind brings, and the cluster has one already.
type clusterOptions struct {
	generic.RESTOptionsGetter
	client dynamic.Interface
	sizes  *clusterstore.Sizes
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o *clusterOptions) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := o.RESTOptionsGetter.GetRESTOptions(resource, example)
	options.Decorator = o.decorate
	return options, err
}

// decorate implements generic.StorageDecorator.
func (o *clusterOptions) decorate(config *storagebackend.ConfigForResource, resourcePrefix string,
	_ func(runtime.Object) (string, error), newObject, _ func() runtime.Object, attributes storage.AttrFunc,
	_ storage.IndexerFuncs, _ *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	kind, err := clusterstore.KindOf(config.GroupResource)
	if err != nil {
		return nil, nil, err
	}
	s := clusterstore.New(clusterstore.Config{
		Client: o.client, Kind: kind, Sizes: o.sizes, Codec: config.Codec, Transformer: config.Transformer,
		Prefix: resourcePrefix, New: newObject, Attributes: attributes,
	})
	return s, s.Close, nil
}
