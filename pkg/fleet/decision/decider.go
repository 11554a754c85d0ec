// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Decider decides like Decide, and remembers between decisions what it has compiled from the specs of policies, and when
// their schedules open. The zero Decider is ready for use, by several goroutines.
type Decider struct {
	lock  sync.Mutex
	rules map[string]*rules
}

// compiled are the rules of the policies, in their order, for a decision at a time.
func (d *Decider) compiled(policies []*v1beta1.MaintenancePolicy, now time.Time) []*rules {
	d.lock.Lock()
	defer d.lock.Unlock()
	known := d.rules
	d.rules = make(map[string]*rules, len(policies))
	all := make([]*rules, len(policies))
	for i, policy := range policies {
		found := known[policy.Name]
		if found == nil || found.unreadable != v1beta1.WhyUnreadable(policy) || !equality.Semantic.DeepEqual(found.spec, policy.Spec) {
			found = compile(policy)
		}
		found = found.at(now)
		all[i], d.rules[policy.Name] = found, found
	}
	return all
}
