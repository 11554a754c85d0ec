// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// authorsInterval is how long after one look at the authors of all profiles the next one follows. A permission that is
	// taken away is noticed within that time.
	authorsInterval = 5 * time.Minute
	// authorTimeout bounds asking about one author.
	authorTimeout = 30 * time.Second
)

// authors asks again whether those who wrote the profiles may still do what these say. It knows nothing until it has
// asked. An author of whom nobody can tell is as before.
type authors struct {
	mu sync.Mutex
	// lacks is what the author of a profile may not do any more, and of which generation.
	lacks map[types.UID]lack
}

type lack struct {
	generation int64
	what       string
}

// of says what the author of a profile may not do any more; empty: nothing that is known. A newer generation was asked
// about when it was written.
func (a *authors) of(profile *v1beta1.MaintenanceProfile) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.lacks[profile.UID]; known.generation == profile.Generation {
		return known.what
	}
	return ""
}

func (a *authors) replace(lacks map[types.UID]lack) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lacks = lacks
}

// askAuthors asks about the authors of all profiles, again and again, until ctx is done.
func (t *term) askAuthors(ctx context.Context) {
	for t.config.Vouch != nil && ctx.Err() == nil {
		lacks := map[types.UID]lack{}
		var changed []*v1beta1.MaintenanceProfile
		for _, profile := range t.statuses.stored() {
			before := t.authors.of(profile)
			now := t.askAuthor(ctx, profile, before)
			if now != "" {
				lacks[profile.UID] = lack{generation: profile.Generation, what: now}
			}
			if now != before {
				changed = append(changed, profile)
			}
		}
		t.authors.replace(lacks)
		for _, profile := range changed {
			t.wakeProfile(profile.Name)
		}
		t.statuses.kick()
		t.admitter.pause(ctx, authorsInterval)
	}
}

// askAuthor says what the author of a profile may not do any more. If nobody can tell, it is as before.
func (t *term) askAuthor(ctx context.Context, profile *v1beta1.MaintenanceProfile, before string) string {
	ctx, cancel := context.WithTimeout(ctx, authorTimeout)
	defer cancel()
	err := t.config.Vouch(ctx, profile)
	switch {
	case err == nil:
		return ""
	case apierrors.IsForbidden(err):
		what := err.Error()
		if _, why, found := strings.Cut(what, " is forbidden: "); found {
			what = why
		}
		if before == "" {
			klog.FromContext(ctx).Info("The author of a profile may not do any more what it says", "profile", profile.Name, "why", what)
		}
		return text(what)
	default:
		klog.FromContext(ctx).Error(err, "Could not find out whether the author of a profile may still do what it says", "profile", profile.Name)
		return before
	}
}
