// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/ledger"
	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// term is the work of one term of leading. A new one is made each time, so that nothing older is used.
type term struct {
	*Admitter
	// wake has the drainer look at a node.
	wake   func(node string)
	ledger *ledger.Ledger
	// changed is rung when something has changed since the last decision.
	changed  workloop.Bell
	statuses *statuses
	recorder record.EventRecorder
	// pulse shows whether decisions return.
	pulse pulse
	// told is until when missed deadlines were told of.
	told time.Time
	// unsure says that it could not be confirmed whether nodes have left maintenance.
	unsure bool

	mu sync.Mutex
	// known is what was decided last.
	known known
	// passed are the nodes that were let pass without an entry in the ledger, while the caches do not show their cordon.
	passed map[string]passing
	// acquired are the nodes that may be cordoned at any moment: the drainer has been let pass, and the look at the node
	// for which it was is not over. The channel is closed when it is.
	acquired map[string]<-chan struct{}
	// leaving are the nodes whose entries may end with the decision that is under way. They are not let pass.
	leaving sets.Set[string]
	// kept are the nodes that release gates keep.
	kept map[string]time.Time

	sight sight
}

// Run implements drainer.Gate: it decides until ctx is done.
func (a *Admitter) Run(ctx context.Context, wake func(node string)) {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithName("admitter"))
	defer a.config.Epoch.Join()()
	t, stopRecording := a.newTerm(wake)
	defer stopRecording()
	defer lastDecision.Reset()
	defer resetGauges()
	a.leading.Store(t)
	defer a.leading.Store(nil)
	unfollow, err := t.follow()
	defer unfollow()
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not follow what policies depend on")
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { t.statuses.run(ctx) })
	t.run(ctx)
}

func (a *Admitter) newTerm(wake func(node string)) (t *term, stopRecording func()) {
	t = &term{
		Admitter: a, wake: wake, changed: workloop.NewBell(), told: a.config.Clock.Now(),
		passed: map[string]passing{}, acquired: map[string]<-chan struct{}{}, leaving: sets.New[string](), kept: map[string]time.Time{},
	}
	client := a.config.Maintenance.MaintenanceV1beta1()
	t.sight = sight{client: client.MaintenanceLedgers(), clock: a.config.Clock}
	t.ledger = ledger.New(ledger.Config{
		Client: client.MaintenanceLedgers(), Clock: a.config.Clock, Epoch: a.config.Epoch, Said: t.sight.saw,
	})
	t.recorder, stopRecording = workloop.NewRecorder(a.config.Kube, eventComponent, a.config.Recorder)
	t.statuses = newStatuses(a, t.recorder)
	return t, stopRecording
}

// kick has the term decide soon.
func (t *term) kick() { t.changed.Ring() }
