// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Why an APIService does not have the CA.
const (
	missing = "it does not exist"
	foreign = "it does not point to the Service of this server"
)

// publishFurther publishes to the APIServices of further groups that point to the server's own Service.
func (p *Publisher) publishFurther(ctx context.Context, own *apiregistrationv1.ServiceReference, pairs ...*Pair) error {
	var errs []error
	for _, name := range p.Further {
		apiService, err := p.APIServices.Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			p.leave(ctx, name, missing)
		case err != nil:
			errs = append(errs, fmt.Errorf("could not get APIService: %w", err))
		case !sameService(apiService.Spec.Service, own):
			p.leave(ctx, name, foreign)
		default:
			delete(p.left, name)
			errs = append(errs, p.publishTo(ctx, apiService, pairs...))
		}
	}
	return errors.Join(errs...)
}

// leave says once why an APIService does not have the CA.
func (p *Publisher) leave(ctx context.Context, name, why string) {
	if p.left[name] == why {
		return
	}
	if p.left == nil {
		p.left = map[string]string{}
	}
	p.left[name] = why
	klog.FromContext(ctx).Info("The serving certificate's CA is not published to an APIService", "apiService", name, "why", why)
}

func sameService(service, own *apiregistrationv1.ServiceReference) bool {
	return service != nil && own != nil && service.Namespace == own.Namespace && service.Name == own.Name
}
