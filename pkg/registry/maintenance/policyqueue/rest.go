// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package policyqueue serves maintenancepolicies/queue: what waits for a policy, in the order in which it is to start.
package policyqueue

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy"
)

// Resource is the subresource's name in URLs and in RBAC rules.
const Resource = maintenancepolicy.Plural + "/queue"

// Fleet knows what waits for the MaintenancePolicies.
type Fleet interface {
	// Queue returns what waits for the policy, in the order in which it is to start.
	Queue(ctx context.Context, policy string) (*v1beta1.MaintenancePolicyQueue, error)
}

var _ interface {
	rest.Getter
	rest.TableConvertor
} = (*REST)(nil)

// REST serves maintenancepolicies/queue. It is computed when it is asked for: stored positions would have to be written
// anew for all that wait whenever one starts.
type REST struct {
	policies rest.Getter
	fleet    Fleet
	table
}

// New makes the storage of the subresource. Without a fleet, all queues are empty.
func New(policies rest.Getter, fleet Fleet) *REST { return &REST{policies: policies, fleet: fleet} }

// New implements rest.Storage.
func (*REST) New() runtime.Object { return &v1beta1.MaintenancePolicyQueue{} }

// Destroy implements rest.Storage. There is nothing to destroy.
func (*REST) Destroy() {}

// Get implements rest.Getter. It fails with ServiceUnavailable while it is not known what waits.
func (r *REST) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if _, err := r.policies.Get(ctx, name, &metav1.GetOptions{}); err != nil {
		return nil, err
	}
	queue := &v1beta1.MaintenancePolicyQueue{}
	if r.fleet != nil {
		waiting, err := r.fleet.Queue(ctx, name)
		if err != nil {
			return nil, apierrors.NewServiceUnavailable(err.Error())
		}
		queue = waiting
	}
	queue.ObjectMeta = metav1.ObjectMeta{Name: name}
	if queue.Items == nil {
		queue.Items = []v1beta1.QueuedMaintenance{}
	}
	return queue, nil
}
