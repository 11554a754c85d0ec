// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aggregate

// index makes the indexes that the questions need, and drops the others. Those that are there already are up to date.
func (a *Aggregate) index() {
	labels, compared := a.labels, a.versions
	a.labels, a.versions = map[string]*labelIndex{}, map[versions]*versionIndex{}
	for q := range a.answers {
		if key := q.anyNode.key; key != "" && a.labels[key] == nil {
			a.labels[key] = a.labelIndex(labels[key], key)
		}
		if v := q.versions; v.label != "" {
			a.versions[v] = a.versionIndex(compared[v], v)
		}
	}
}

func (a *Aggregate) labelIndex(known *labelIndex, key string) *labelIndex {
	if known != nil {
		return known
	}
	index := newLabelIndex()
	for name, node := range a.nodes {
		move(index, key, name, nil, node)
	}
	return index
}

func (a *Aggregate) versionIndex(known *versionIndex, v versions) *versionIndex {
	if known != nil {
		return known
	}
	index := newVersionIndex(v.parse)
	for name, node := range a.nodes {
		if a.compares(v, name) {
			move(index, v.label, name, nil, node)
		}
	}
	return index
}
