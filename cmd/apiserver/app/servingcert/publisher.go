// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"
	"k8s.io/utils/clock"
)

const (
	// checkInterval is how often the APIService and the age of the certificate are checked.
	// If the caBundle is lost, for example by kubectl replace, the API is unavailable until
	// the next check.
	checkInterval = 30 * time.Second
	// retryInterval is how soon a failed publication is retried. It may have failed because
	// the APIService does not exist yet.
	retryInterval = 5 * time.Second
	// publishTimeout is the timeout of one publication.
	publishTimeout = 10 * time.Second
)

// Publisher keeps the caBundle of the server's APIServices up to date with the server's own
// certificate, and renews that certificate in time.
type Publisher struct {
	// Files is the pair in use. The server reloads it when it changes.
	Files Files
	// APIServices is the client for the cluster's APIServices.
	APIServices apiregistrationclient.APIServiceInterface
	// APIServiceName is the name of the server's own APIService.
	APIServiceName string
	// Further are the names of the APIServices of further groups. The certificate is renewed even if its
	// CA cannot be published there. Those that do not point to the Service of the server's own APIService
	// are left alone: a CRD has them, or another server.
	Further []string
	// Clock tells the time.
	Clock clock.WithTicker

	// left says of Further why they do not have the CA. It is for Run alone.
	left map[string]string
}

// Run publishes and renews until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	logger := klog.FromContext(ctx)
	for {
		wait := checkInterval
		if err := p.sync(ctx); err != nil {
			wait = retryInterval
			logger.Error(err, "Could not publish the serving certificate's CA, trying again", "after", wait)
		} else if slices.Contains(slices.Collect(maps.Values(p.left)), missing) {
			wait = retryInterval
		}
		timer := p.Clock.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}

// sync publishes the CA of the certificate in use. If the certificate is due for renewal,
// sync creates a new one, publishes both CAs, and then replaces the old certificate. The
// next sync publishes the new CA alone.
func (p *Publisher) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	current, err := readPair(p.Files.Dir)
	if err != nil {
		return fmt.Errorf("could not read the serving certificate: %w", err)
	}
	if !current.dueForRenewal(p.Clock.Now()) {
		service, err := p.publish(ctx, current)
		if err != nil {
			return err
		}
		return p.publishFurther(ctx, service, current)
	}
	next, err := newPair(p.Files.Names)
	if err != nil {
		return err
	}
	service, err := p.publish(ctx, current, next)
	if err != nil {
		return err
	}
	missed := p.publishFurther(ctx, service, current, next)
	klog.FromContext(ctx).Info("Renewing the serving certificate", "validUntil", next.leaf.NotAfter)
	return errors.Join(missed, next.write(p.Files.Dir))
}

// publish publishes to the server's own APIService, and returns the Service that it points to.
func (p *Publisher) publish(ctx context.Context, pairs ...*Pair) (*apiregistrationv1.ServiceReference, error) {
	apiService, err := p.APIServices.Get(ctx, p.APIServiceName, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not get APIService: %w", err)
	}
	return apiService.Spec.Service, p.publishTo(ctx, apiService, pairs...)
}

func (p *Publisher) publishTo(ctx context.Context, apiService *apiregistrationv1.APIService, pairs ...*Pair) error {
	want, err := bundle(pairs...)
	if err != nil {
		return err
	}
	if bytes.Equal(apiService.Spec.CABundle, want) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"caBundle": want}})
	if err != nil {
		return fmt.Errorf("could not encode the CA bundle: %w", err)
	}
	if _, err := p.APIServices.Patch(ctx, apiService.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("could not patch APIService: %w", err)
	}
	klog.FromContext(ctx).Info("Published the serving certificate's CA", "apiService", apiService.Name)
	return nil
}
