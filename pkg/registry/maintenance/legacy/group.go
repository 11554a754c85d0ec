// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance/storage"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// group is one version of NodeMaintenance of a former operator.
type group struct {
	schema.GroupVersion
	convertor runtime.ObjectConvertor
	nodes     storage.NodeFinder
}

// NewStorage returns the storage that serves nodemaintenances and their status in a former version. The
// keys are their names in URLs. The convertor must know the version.
func NewStorage(version schema.GroupVersion, convertor runtime.ObjectConvertor, nodes storage.NodeFinder,
	holds *storage.REST, status *resource.StatusREST,
) map[string]rest.Storage {
	g := &group{GroupVersion: version, convertor: convertor, nodes: nodes}
	return map[string]rest.Storage{
		nodemaintenance.Plural:             &REST{REST: holds, group: g},
		nodemaintenance.Plural + "/status": &StatusREST{StatusREST: status, group: g},
	}
}

// isMedik8s says whether the group is that of the medik8s operator; the others are KubeVirt's.
func (g *group) isMedik8s() bool { return g.Group == medik8sv1beta1.GroupName }
