// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
)

// clusterPlace is a store in the cluster's own API.
type clusterPlace struct {
	host   string
	client dynamic.Interface
}

func (p *clusterPlace) String() string { return "the store in the cluster at " + p.host }

func (*clusterPlace) cleanup() string {
	kinds := []string{clusterstore.StoreKind.String()}
	for _, resource := range clusterstore.Resources() {
		if kind, err := clusterstore.KindOf(resource); err == nil {
			kinds = append(kinds, kind.String())
		}
	}
	return "kubectl delete --all " + strings.Join(kinds, ",") + " --as=" +
		serverUser + " --as-group=system:masters"
}

func (*clusterPlace) close() {}

// read implements source.
func (p *clusterPlace) read(ctx context.Context) (contents, error) {
	c := contents{objects: map[key][]byte{}}
	var err error
	if c.id, err = p.readID(ctx, clusterstore.StoreName); err != nil {
		return c, err
	}
	if c.copyOf, err = p.readID(ctx, clusterstore.CopyOfName); err != nil {
		return c, err
	}
	for _, resource := range clusterstore.Resources() {
		if err := p.readObjects(ctx, &c, key{resource: resource}); err != nil {
			return c, fmt.Errorf("could not read %s: %w", p, err)
		}
	}
	return c, nil
}

// readID returns the ID in one of the objects that have one, or nothing where it does not exist.
func (p *clusterPlace) readID(ctx context.Context, name string) (string, error) {
	found, err := p.ids().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("could not read %s: %w", p, err)
	}
	return clusterstore.DecodeID(found)
}

func (p *clusterPlace) readObjects(ctx context.Context, c *contents, k key) error {
	envelopes, _, err := p.envelopes(k)
	if err != nil {
		return err
	}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := envelopes.List(ctx, options)
		if err != nil {
			return err
		}
		for i := range page.Items {
			envelope, err := clusterstore.Decode(&page.Items[i])
			if err != nil {
				return err
			}
			k.name = envelope.Name
			c.objects[k] = envelope.Data
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// begin implements target.
func (p *clusterPlace) begin(ctx context.Context, id string) error {
	return p.explain(p.create(ctx, p.ids(), clusterstore.EncodeID(clusterstore.CopyOfName, id)))
}

func (p *clusterPlace) write(ctx context.Context, k key, data []byte) error {
	envelopes, kind, err := p.envelopes(k)
	if err != nil {
		return err
	}
	envelope, err := kind.Envelop(k.name, data)
	if err != nil {
		return err
	}
	err = p.create(ctx, envelopes, envelope.Encode(kind))
	if apierrors.IsAlreadyExists(err) {
		err = replace(ctx, envelopes, envelope.Encode(kind))
	}
	return p.explain(err)
}

func replace(ctx context.Context, envelopes dynamic.ResourceInterface, envelope *unstructured.Unstructured) error {
	there, err := envelopes.Get(ctx, envelope.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	envelope.SetResourceVersion(there.GetResourceVersion())
	_, err = envelopes.Update(ctx, envelope, metav1.UpdateOptions{})
	return err
}

func (p *clusterPlace) remove(ctx context.Context, k key) error {
	envelopes, _, err := p.envelopes(k)
	if err != nil {
		return err
	}
	return p.explain(envelopes.Delete(ctx, k.name, metav1.DeleteOptions{}))
}

// finish implements target. A mark that stays behind does no harm beside an ID, and goes when the command is run again.
func (p *clusterPlace) finish(ctx context.Context, id string) error {
	err := p.create(ctx, p.ids(), clusterstore.EncodeID(clusterstore.StoreName, id))
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return p.explain(err)
	}
	found, err := p.readID(ctx, clusterstore.StoreName)
	if err == nil && found != id {
		err = p.explain(errChanged)
	}
	if err != nil {
		return err
	}
	return p.explain(p.ids().Delete(ctx, clusterstore.CopyOfName, metav1.DeleteOptions{}))
}

func (p *clusterPlace) ids() dynamic.ResourceInterface {
	return p.client.Resource(clusterstore.StoreKind.GVR())
}

func (p *clusterPlace) envelopes(k key) (dynamic.ResourceInterface, clusterstore.Kind, error) {
	kind, err := clusterstore.KindOf(k.resource)
	return p.client.Resource(kind.GVR()), kind, err
}

func (*clusterPlace) create(ctx context.Context, in dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	_, err := in.Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (p *clusterPlace) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("could not write to %s: %w", p, err)
}
