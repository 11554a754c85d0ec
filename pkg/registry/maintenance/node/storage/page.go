// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node/board"
)

// place is where a page of a list ended. All pages have the version of the first, since a watch that
// goes on from there shows everything that the later pages may have missed.
type place struct {
	version int64
	// name is the last node of the page.
	name string
}

// token is the place as clients get it, to send it back.
func (p place) token() string {
	return base64.RawURLEncoding.EncodeToString([]byte(board.Format(p.version) + "/" + p.name))
}

func parsePlace(token string) (*place, error) {
	if token == "" {
		return nil, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(token)
	version, name, found := strings.Cut(string(decoded), "/")
	number, notANumber := strconv.ParseInt(version, 10, 64)
	if err != nil || !found || notANumber != nil {
		return nil, apierrors.NewBadRequest("continue is not valid: it must be what the list before returned")
	}
	return &place{version: number, name: name}, nil
}

// page is the part of the states that the query asks for. The pages of one list may show different
// moments: a node that comes or goes between two of them may be missing.
func (q query) page(states []*v1beta1.NodeState, version int64) *v1beta1.NodeStateList {
	if q.after != nil {
		version = q.after.version
		states = states[q.rest(states):]
	}
	list := &v1beta1.NodeStateList{Items: []v1beta1.NodeState{}}
	list.ResourceVersion = board.Format(version)
	for i, state := range states {
		switch {
		case !q.matches(state):
		case q.limit > 0 && int64(len(list.Items)) == q.limit:
			list.Continue = place{version: version, name: list.Items[q.limit-1].Name}.token()
			if q.labels.Empty() && q.fields.Empty() {
				remaining := int64(len(states) - i)
				list.RemainingItemCount = &remaining
			}
			return list
		default:
			list.Items = append(list.Items, *state)
		}
	}
	return list
}

// rest is the index of the first state of the page, in states, which are sorted by name.
func (q query) rest(states []*v1beta1.NodeState) int {
	i, found := slices.BinarySearchFunc(states, q.after.name, func(state *v1beta1.NodeState, name string) int {
		return cmp.Compare(state.Name, name)
	})
	if found {
		i++
	}
	return i
}
