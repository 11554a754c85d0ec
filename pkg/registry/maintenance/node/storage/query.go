// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"encoding/base64"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// query has the options of a list request.
type query struct {
	labels labels.Selector
	fields fields.Selector
	limit  int64
	// after is the name of the last node of the page before; empty on the first.
	after string
}

func newQuery(options *metainternalversion.ListOptions) (query, error) {
	q := query{labels: labels.Everything(), fields: fields.Everything()}
	if options == nil {
		return q, nil
	}
	if options.LabelSelector != nil {
		q.labels = options.LabelSelector
	}
	if options.FieldSelector != nil {
		q.fields = options.FieldSelector
	}
	q.limit = options.Limit
	after, err := base64.RawURLEncoding.DecodeString(options.Continue)
	if err != nil {
		return q, apierrors.NewBadRequest("continue is not valid: it must be what the list before returned")
	}
	q.after = string(after)
	return q, nil
}

func (q query) matches(state *maintenance.NodeState) bool {
	return q.labels.Matches(labels.Set(state.Labels)) && q.fields.Matches(fields.Set{
		"metadata.name": state.Name, v1beta1.FieldState: string(state.Status.State),
	})
}

// page sorts what matches and cuts it. The pages of one list may show different moments: a node that
// comes or goes between two of them may be missing.
func (q query) page(states []maintenance.NodeState) *maintenance.NodeStateList {
	states = slices.DeleteFunc(states, func(state maintenance.NodeState) bool { return state.Name <= q.after && q.after != "" })
	slices.SortFunc(states, func(a, b maintenance.NodeState) int { return cmp.Compare(a.Name, b.Name) })
	list := &maintenance.NodeStateList{Items: states}
	if q.limit > 0 && int64(len(states)) > q.limit {
		list.Items = states[:q.limit]
		list.Continue = base64.RawURLEncoding.EncodeToString([]byte(list.Items[q.limit-1].Name))
		if q.labels.Empty() && q.fields.Empty() {
			remaining := int64(len(states)) - q.limit
			list.RemainingItemCount = &remaining
		}
	}
	if list.Items == nil {
		list.Items = []maintenance.NodeState{}
	}
	return list
}
