// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Why an APIService does not have the CA.
const (
	missing  = "it does not exist"
	foreign  = "it does not point to the Service of this server"
	injected = "its annotations have somebody else set its caBundle"
	trusting = "it sets insecureSkipTLSVerify, so the aggregator trusts anybody"
)

// Annotations by which an APIService has its caBundle set by cert-manager, and by OpenShift.
const (
	certManagerPrefix   = "cert-manager.io/inject-"
	openShiftAnnotation = "service.beta.openshift.io/inject-cabundle"
)

// readAPIServices returns the APIServices through which the aggregator reaches this server.
func (k *Keeper) readAPIServices(ctx context.Context) ([]*apiregistrationv1.APIService, error) {
	var ours []*apiregistrationv1.APIService
	var errs []error
	for _, name := range k.config.APIServiceNames {
		apiService, err := k.config.APIServices.ApiregistrationV1().APIServices().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			k.leave(ctx, name, missing)
		case err != nil:
			errs = append(errs, fmt.Errorf("could not get APIService: %w", err))
		default:
			k.leave(ctx, name, k.whyLeft(apiService))
			if k.left[name] == "" || k.left[name] == injected {
				ours = append(ours, apiService)
			}
		}
	}
	return ours, errors.Join(errs...)
}

// whyLeft says why the caBundle of an APIService is not kept; empty if it is.
func (k *Keeper) whyLeft(apiService *apiregistrationv1.APIService) string {
	service := apiService.Spec.Service
	switch {
	case service == nil || service.Namespace != k.config.Service.Namespace || service.Name != k.config.Service.Name:
		return foreign
	case apiService.Spec.InsecureSkipTLSVerify:
		return trusting
	case isInjected(apiService):
		return injected
	}
	return ""
}

func isInjected(apiService *apiregistrationv1.APIService) bool {
	for name := range apiService.Annotations {
		if strings.HasPrefix(name, certManagerPrefix) || name == openShiftAnnotation {
			return true
		}
	}
	return false
}

// leave notes why an APIService does not have the CA, and says so once.
func (k *Keeper) leave(ctx context.Context, name, why string) {
	if why != "" && k.left[name] != why {
		klog.FromContext(ctx).Info("The CA of the serving certificate is not published to an APIService", "apiService", name, "why", why)
	}
	k.left[name] = why
}

// spread says whether the caBundles have had all trusted CAs for settleTime.
func (k *Keeper) spread(apiServices []*apiregistrationv1.APIService, unread error, s state) bool {
	now, bundle := k.config.Clock.Now(), s.bundle()
	lacks := func(apiService *apiregistrationv1.APIService) bool { return !has(apiService, s) }
	if unread != nil || slices.ContainsFunc(apiServices, lacks) {
		k.spreadBundle = nil
		return false
	}
	if k.spreadBundle == nil || !bytes.Equal(k.spreadBundle, bundle) {
		k.spreadBundle, k.spreadSince = bundle, now
	}
	return now.Sub(k.spreadSince) >= settleTime
}

// has says whether an APIService that trusts this server now will do so when the next CA signs. One whose caBundle
// somebody else sets waits only for what it can lose.
func has(apiService *apiregistrationv1.APIService, s state) bool {
	if !isInjected(apiService) {
		return bytes.Equal(apiService.Spec.CABundle, s.bundle())
	}
	found, _ := certutil.ParseCertsPEM(apiService.Spec.CABundle)
	set := state{trusted: found}
	return s.next == nil || set.trusts(s.next.cert) || !slices.ContainsFunc(s.trusted, set.trusts)
}

// known are the CAs that the aggregator trusts now, and the one that signed what this replica serves with.
func (k *Keeper) known(apiServices []*apiregistrationv1.APIService) []*x509.Certificate {
	var known []*x509.Certificate
	for _, apiService := range apiServices {
		if !isInjected(apiService) {
			// A caBundle that cannot be read, the aggregator does not trust either.
			found, _ := certutil.ParseCertsPEM(apiService.Spec.CABundle)
			known = append(known, found...)
		}
	}
	if p := k.serving.current(); p != nil {
		known = append(known, p.ca)
	}
	return known
}

// publish sets the caBundles that are kept.
func (k *Keeper) publish(ctx context.Context, apiServices []*apiregistrationv1.APIService, bundle []byte) error {
	var errs []error
	for _, apiService := range apiServices {
		if !isInjected(apiService) && !bytes.Equal(apiService.Spec.CABundle, bundle) {
			k.untrusted = k.untrusted || !k.trustedBy(apiService)
			errs = append(errs, k.publishTo(ctx, apiService, bundle))
		}
	}
	return errors.Join(errs...)
}

// trustedBy says whether the aggregator trusts this replica by the caBundle of an APIService.
func (k *Keeper) trustedBy(apiService *apiregistrationv1.APIService) bool {
	// A caBundle that cannot be read, the aggregator does not trust either.
	found, _ := certutil.ParseCertsPEM(apiService.Spec.CABundle)
	return state{trusted: found}.trusts(k.serving.current().ca)
}

// publishTo fails with a conflict if the APIService has changed since it was read.
func (k *Keeper) publishTo(ctx context.Context, apiService *apiregistrationv1.APIService, bundle []byte) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": apiService.ResourceVersion},
		"spec":     map[string]any{"caBundle": bundle},
	})
	if err != nil {
		return fmt.Errorf("could not encode the caBundle: %w", err)
	}
	k.wrote = true
	_, err = k.config.APIServices.ApiregistrationV1().APIServices().Patch(ctx, apiService.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not publish the CA of the serving certificate: %w", err)
	}
	klog.FromContext(ctx).Info("Published the CA of the serving certificate", "apiService", apiService.Name)
	return nil
}
