// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"errors"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
	typed "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/typed/maintenance/v1beta1"
)

// latch can be closed. Whoever passes it waits meanwhile.
type latch struct {
	mu sync.Mutex
	// opened is closed when the latch is opened again; nil while it is open.
	opened chan struct{}
}

func (l *latch) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		l.opened = make(chan struct{})
	}
}

func (l *latch) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened != nil {
		close(l.opened)
		l.opened = nil
	}
}

func (l *latch) pass() {
	l.mu.Lock()
	opened := l.opened
	l.mu.Unlock()
	if opened != nil {
		<-opened
	}
}

// client is a client of a process that can be suspended: it sends no request meanwhile, and after that even those whose
// time is over.
type client struct {
	versioned.Interface
	latch
	// before and after are called before and after each write of the ledger.
	before, after func()
}

// IsWatchListSemanticsUnSupported says for the informers what the fake client says.
func (c *client) IsWatchListSemanticsUnSupported() bool { return true }

func (c *client) MaintenanceV1beta1() typed.MaintenanceV1beta1Interface {
	return group{MaintenanceV1beta1Interface: c.Interface.MaintenanceV1beta1(), client: c}
}

type group struct {
	typed.MaintenanceV1beta1Interface
	client *client
}

func (g group) MaintenanceLedgers() typed.MaintenanceLedgerInterface {
	return ledgers{MaintenanceLedgerInterface: g.MaintenanceV1beta1Interface.MaintenanceLedgers(), client: g.client}
}

type ledgers struct {
	typed.MaintenanceLedgerInterface
	client *client
}

func (l ledgers) Get(ctx context.Context, name string, options metav1.GetOptions) (*v1beta1.MaintenanceLedger, error) {
	l.client.pass()
	return l.MaintenanceLedgerInterface.Get(ctx, name, options)
}

func (l ledgers) Create(ctx context.Context, ledger *v1beta1.MaintenanceLedger, options metav1.CreateOptions) (*v1beta1.MaintenanceLedger, error) {
	return l.write(ctx, func() (*v1beta1.MaintenanceLedger, error) {
		return l.MaintenanceLedgerInterface.Create(ctx, ledger, options)
	})
}

func (l ledgers) Update(ctx context.Context, ledger *v1beta1.MaintenanceLedger, options metav1.UpdateOptions) (*v1beta1.MaintenanceLedger, error) {
	return l.write(ctx, func() (*v1beta1.MaintenanceLedger, error) {
		return l.MaintenanceLedgerInterface.Update(ctx, ledger, options)
	})
}

// write writes, unless the process was killed meanwhile.
func (l ledgers) write(ctx context.Context, write func() (*v1beta1.MaintenanceLedger, error)) (*v1beta1.MaintenanceLedger, error) {
	if l.client.before != nil {
		l.client.before()
	}
	l.client.pass()
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	written, err := write()
	if l.client.after != nil {
		l.client.after()
		l.client.pass()
	}
	return written, err
}
