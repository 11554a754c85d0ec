// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Cache evaluates stored profiles, and keeps them compiled until their spec changes. Many may use it at the same time.
// Profiles that are not stored, as in a dry run, are for Evaluate: they have no generation that tells them apart.
type Cache struct {
	mu       sync.Mutex
	compiled map[string]cached
}

// cached is a profile as it was compiled.
type cached struct {
	uid        types.UID
	generation int64
	*Compiled
}

// Evaluate is Evaluate for a stored profile.
func (c *Cache) Evaluate(facts Facts) Outcome { return c.Compiled(facts.Profile).Evaluate(facts) }

// Ledger is what the ledger says about a stored profile.
func (c *Cache) Ledger(facts Facts) Ledger { return c.Compiled(facts.Profile).Ledger(facts) }

// Compiled returns a stored profile, compiled.
func (c *Cache) Compiled(profile *v1beta1.MaintenanceProfile) *Compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, found := c.compiled[profile.Name]
	if !found || known.uid != profile.UID || known.generation != profile.Generation {
		known = cached{uid: profile.UID, generation: profile.Generation, Compiled: Compile(profile)}
		if c.compiled == nil {
			c.compiled = map[string]cached{}
		}
		c.compiled[profile.Name] = known
	}
	return known.Compiled
}

// Forget drops a profile that is gone.
func (c *Cache) Forget(profile string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.compiled, profile)
}
