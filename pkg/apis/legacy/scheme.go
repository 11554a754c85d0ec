// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// AddHub returns a function that registers our NodeMaintenance as the internal version of a further group. So the
// versions of that group have it as their hub.
func AddHub(group string) func(*runtime.Scheme) error {
	return func(scheme *runtime.Scheme) error {
		internal := schema.GroupVersion{Group: group, Version: runtime.APIVersionInternal}
		scheme.AddKnownTypes(internal, &v1beta1.NodeMaintenance{}, &v1beta1.NodeMaintenanceList{})
		return nil
	}
}

// ListParts are the parts of a list of objects of type T.
type ListParts[T any] struct {
	Meta  *metav1.ListMeta
	Items *[]T
}

// AddConversions registers the conversions between our NodeMaintenance and a version with the
// object T and the list L. Those of lists follow from those of objects.
func AddConversions[T, L any](scheme *runtime.Scheme, fromHub func(*v1beta1.NodeMaintenance, *T) error,
	toHub func(*T, *v1beta1.NodeMaintenance) error, parts func(*L) ListParts[T],
) error {
	return errors.Join(
		addConversion(scheme, fromHub),
		addConversion(scheme, toHub),
		addConversion(scheme, func(in *v1beta1.NodeMaintenanceList, out *L) error {
			to := parts(out)
			*to.Meta = in.ListMeta
			return convertItems(in.Items, to.Items, fromHub)
		}),
		addConversion(scheme, func(in *L, out *v1beta1.NodeMaintenanceList) error {
			from := parts(in)
			out.ListMeta = *from.Meta
			return convertItems(*from.Items, &out.Items, toHub)
		}),
	)
}

func addConversion[In, Out any](scheme *runtime.Scheme, convert func(*In, *Out) error) error {
	return scheme.AddConversionFunc((*In)(nil), (*Out)(nil), func(in, out any, _ conversion.Scope) error {
		return convert(in.(*In), out.(*Out))
	})
}

func convertItems[In, Out any](in []In, out *[]Out, convert func(*In, *Out) error) error {
	if in == nil {
		*out = nil
		return nil
	}
	*out = make([]Out, len(in))
	for i := range in {
		if err := convert(&in[i], &(*out)[i]); err != nil {
			return err
		}
	}
	return nil
}
