// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/replacement"
)

// wordsInterval is how long after one write of a status the next one may follow that changes words alone.
const wordsInterval = 15 * time.Second

// write stores the status. It fails with a conflict if the event was written meanwhile.
func (t *term) write(ctx context.Context, v *view) error {
	written, err := t.client.UpdateStatus(ctx, v.next, metav1.UpdateOptions{})
	if err != nil {
		return t.refused(ctx, v, err)
	}
	statusWrites.Inc()
	t.latest.Show(written)
	t.notes.wrote(v.name, v.now)
	t.tell(v, written)
	v.event = written
	return nil
}

// refused reads again what could not be written: what was read before is old.
func (t *term) refused(ctx context.Context, v *view, err error) error {
	if apierrors.IsNotFound(err) {
		t.latest.Gone(v.name, v.event.UID)
		v.act = replacement.Act{}
		return nil
	}
	if _, readErr := t.get(ctx, v.name); readErr != nil {
		t.latest.Doubt(v.name)
	}
	return err
}

// isNewest says whether this server shows the event as this move does. If not, the event is visited again.
func (t *term) isNewest(ctx context.Context, v *view) (bool, error) {
	live, err := t.get(ctx, v.name)
	if err != nil || live != nil && live.ResourceVersion == v.event.ResourceVersion {
		return err == nil, err
	}
	t.queue.Add(v.name)
	return false, nil
}

// onlyWords says whether two statuses differ in what they wait for alone.
func onlyWords(a, b *v1beta1.ScheduledEventStatus) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	for _, status := range []*v1beta1.ScheduledEventStatus{a, b} {
		status.WaitingFor = ""
		for i := range status.Conditions {
			status.Conditions[i].Message = ""
		}
	}
	return apiequality.Semantic.DeepEqual(a, b)
}
