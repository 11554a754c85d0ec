// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// follow ends the term of this replica if the lease does not name it any more. holder is what an event of the
// watch says. The event may be older than this replica's term, so the lease is read; if that fails, the event
// counts.
func (l *lock) follow(ctx context.Context, holder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held && holder != l.Identity() && !l.isHolder(ctx) {
		l.lose()
	}
}

// isHolder says whether the API server says that this replica holds the lease.
func (l *lock) isHolder(ctx context.Context) bool {
	lease, err := l.Client.Leases(l.LeaseMeta.Namespace).Get(ctx, l.LeaseMeta.Name, metav1.GetOptions{})
	return err == nil && holderOf(lease) == l.Identity()
}
