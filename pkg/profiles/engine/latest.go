// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// latest knows the NodeProfiles as our own server has shown them last, if the cache is behind.
type latest struct {
	mu      sync.Mutex
	objects map[string]*known
}

// known is what is known of a NodeProfile beside the cache.
type known struct {
	// shown is what our own server has shown last; nil: what the cache shows will do.
	shown *v1beta1.NodeProfile
	// version is the version that our own server has shown last.
	version string
	// confirmed says that it was asked in this term, so that nothing of a former leader is missing.
	confirmed bool
}

// show notes what our own server has shown.
func (l *latest) show(nodeProfile *v1beta1.NodeProfile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objects[nodeProfile.Name] = &known{shown: nodeProfile, version: nodeProfile.ResourceVersion, confirmed: true}
}

// confirmed says whether our own server was asked for it in this term.
func (l *latest) confirmed(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects[name] != nil && l.objects[name].confirmed
}

// isOurs says whether a version that the cache shows is one that is known already.
func (l *latest) isOurs(cached *v1beta1.NodeProfile) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.objects[cached.Name]
	return entry != nil && (entry.version == cached.ResourceVersion || isOlder(cached.ResourceVersion, entry.version))
}

func isOlder(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

// newest returns the newer one of what the cache shows and what was shown; nil if there is none.
func (l *latest) newest(name string, cached *v1beta1.NodeProfile) *v1beta1.NodeProfile {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.objects[name]
	if entry == nil || entry.shown == nil {
		return cached
	}
	if cached == nil {
		return entry.shown // until the cache shows that it is gone: see gone
	}
	if isOlder(cached.ResourceVersion, entry.shown.ResourceVersion) {
		return entry.shown
	}
	entry.shown = nil
	return cached
}

// gone forgets a NodeProfile that is gone. Without a UID, it is whichever is known.
func (l *latest) gone(name string, uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry := l.objects[name]; entry != nil && (uid == "" || entry.shown == nil || entry.shown.UID == uid) {
		delete(l.objects, name)
	}
}

// moments are when something was done last, by name.
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
	return t.latest.newest(name, cached)
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
			found = append(found, t.latest.newest(cached.Name, cached))
		}
	}
	return found
}

// keys are the names of all NodeProfiles.
func (t *term) keys() []string { return t.nodeProfiles.GetStore().ListKeys() }

// doubt has our own server be asked for a NodeProfile again, since it is not known what became of a write.
func (l *latest) doubt(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry := l.objects[name]; entry != nil {
		entry.confirmed = false
	}
}
