// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// GetList implements storage.Interface. A page may have fewer objects than the limit, where the cluster cannot select
// by all that is asked for.
func (s *Store) GetList(ctx context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	at, err := s.find(key, opts.Recursive)
	if err != nil {
		return err
	}
	if _, _, err := storage.ValidateListOptions(at.key, s.versioner, opts); err != nil {
		return err
	}
	options := metav1.ListOptions{
		ResourceVersion:      opts.ResourceVersion,
		ResourceVersionMatch: opts.ResourceVersionMatch,
		Limit:                opts.Predicate.Limit,
		Continue:             opts.Predicate.Continue,
	}
	s.selectAt(at, opts.Predicate, &options)
	selected := &selected{store: s, predicate: opts.Predicate}
	page, err := s.fill(ctx, at, options, selected)
	if err := errors.Join(meta.SetList(list, selected.objects)); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return s.describePage(list, at, page, opts.Predicate)
}

// fill reads pages until it has an object, or there are no more. It returns the last page.
func (s *Store) fill(ctx context.Context, at place, options metav1.ListOptions, selected *selected) (*unstructured.UnstructuredList, error) {
	for {
		page, err := s.in(at.namespace).List(ctx, options)
		if err != nil {
			return nil, s.interpret(err, at.key)
		}
		if err := selected.add(ctx, page); err != nil {
			return nil, err
		}
		if page.GetContinue() == "" || len(selected.objects) > 0 {
			return page, selected.failure()
		}
		options.Continue = page.GetContinue()
		options.ResourceVersion, options.ResourceVersionMatch = "", ""
	}
}

// describePage sets what the list says of itself.
func (s *Store) describePage(list runtime.Object, at place, page *unstructured.UnstructuredList, predicate storage.SelectionPredicate) error {
	version, err := s.versioner.ParseResourceVersion(page.GetResourceVersion())
	if err != nil {
		return fmt.Errorf("could not read the resourceVersion of the list: %w", err)
	}
	remaining := page.GetRemainingItemCount()
	if !predicate.Empty() {
		remaining = nil
	}
	return s.versioner.UpdateList(list, version, continueBelow(at.key, page.GetContinue()), remaining)
}

// continueBelow returns the token with which a list of the keys below prefix goes on. The cluster's token says the same
// of its own keys. A token that the library does not know stays as it is: the cluster understands it.
func continueBelow(prefix, token string) string {
	key, version, err := storage.DecodeContinue(token, prefix)
	if err != nil {
		return token
	}
	own, err := storage.EncodeContinue(key, prefix, version)
	if err != nil {
		return token
	}
	return own
}

// selected collects the objects of a list.
type selected struct {
	store     *Store
	predicate storage.SelectionPredicate
	objects   []runtime.Object
	corrupt   corruptObjects
}

// add adds those objects of a page that match.
func (l *selected) add(ctx context.Context, page *unstructured.UnstructuredList) error {
	for i := range page.Items {
		object := l.store.New()
		_, err := l.store.read(ctx, &page.Items[i], object)
		if err != nil {
			if err := l.corrupt.add(err); err != nil {
				return err
			}
			continue
		}
		if matches, err := l.predicate.Matches(object); err == nil && matches {
			l.objects = append(l.objects, object)
		}
	}
	return ctx.Err()
}

func (l *selected) failure() error { return l.corrupt.failure(nil) }
