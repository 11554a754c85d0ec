// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// moments are the times when something was done last, by name.
type moments struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (m *moments) last(name string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at[name]
}

func (m *moments) note(name string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[name] = at
}

func (m *moments) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.at, name)
}

// nodeProfile returns a NodeProfile as it is known best; nil if there is none. It is not to be changed.
func (t *term) nodeProfile(name string) *v1beta1.NodeProfile {
	object, _, _ := t.nodeProfiles.GetStore().GetByKey(name)
	cached, _ := object.(*v1beta1.NodeProfile)
	return t.latest.Newest(name, cached)
}

// indexed returns the NodeProfiles of a node, or of a profile, as they are known best.
func (t *term) indexed(index, value string) []*v1beta1.NodeProfile {
	objects, err := t.nodeProfiles.GetIndexer().ByIndex(index, value)
	if err != nil {
		return nil
	}
	var found []*v1beta1.NodeProfile
	for _, object := range objects {
		if cached, is := object.(*v1beta1.NodeProfile); is {
			found = append(found, t.latest.Newest(cached.Name, cached))
		}
	}
	return found
}

// keys are the names of all NodeProfiles.
func (t *term) keys() []string { return t.nodeProfiles.GetStore().ListKeys() }
