// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package policyqueue

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fleet has one policy, workers, for which this waits.
type fleet struct {
	queue *v1beta1.MaintenancePolicyQueue
	err   error
}

func (fleet) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if name != "workers" {
		return nil, apierrors.NewNotFound(v1beta1.Resource("maintenancepolicies"), name)
	}
	return &v1beta1.MaintenancePolicy{}, nil
}

func (f fleet) Queue(context.Context, string) (*v1beta1.MaintenancePolicyQueue, error) {
	return f.queue, f.err
}

func TestQueue(t *testing.T) {
	since := metav1.NewTime(time.Now().Add(-2*time.Hour - time.Minute))
	earliest := metav1.NewTime(time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC))
	waiting := fleet{queue: &v1beta1.MaintenancePolicyQueue{Items: []v1beta1.QueuedMaintenance{
		{Position: 1, Name: "a", Node: "w-1", Requestor: "alice", Since: since},
		{
			Position: 2, Name: "b", Node: "w-2", Requestor: "bob\x1b[1m", Priority: 10, Since: since, EarliestStartTime: &earliest,
			WaitingFor: []v1beta1.AdmissionWait{
				{Reason: v1beta1.AdmissionNotBefore, Message: "spec.notBefore is not reached"},
				{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: "2 of 2 nodes"},
				{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: "1 of 1 node of zone a"},
			},
		},
	}}}
	served := New(waiting, waiting)
	queue, err := served.Get(t.Context(), "workers", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := queue.(*v1beta1.MaintenancePolicyQueue); got.Name != "workers" || len(got.Items) != 2 {
		t.Errorf("got %+v", got)
	}
	table, err := served.ConvertToTable(t.Context(), queue, &metav1.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, heading := range table.ColumnDefinitions {
		if heading.Priority == 0 {
			names = append(names, heading.Name)
		}
	}
	if diff := cmp.Diff([]string{"Position", "Name", "Node", "Priority", "Waiting For", "Earliest", "Age"}, names); diff != "" {
		t.Errorf("columns differ (-want +got):\n%s", diff)
	}
	want := [][]any{
		{int64(1), "a", "w-1", int64(0), "<none>", "<none>", "121m", "alice", "<none>"},
		{
			int64(2), "b", "w-2", int64(10), "NotBefore, Queued (workers)", "2026-11-28T21:00:00Z", "121m", `bob\u001b[1m`,
			"spec.notBefore is not reached; 2 of 2 nodes; 1 of 1 node of zone a",
		},
	}
	for i, row := range table.Rows {
		if diff := cmp.Diff(want[i], row.Cells); diff != "" {
			t.Errorf("row %d differs (-want +got):\n%s", i, diff)
		}
		if own := row.Object.Object.(*v1beta1.MaintenancePolicyQueue); len(own.Items) != 1 {
			t.Errorf("row %d has the whole queue for its object", i)
		}
	}
}

func TestQueuesThatAreEmptyOrNotKnown(t *testing.T) {
	tests := map[string]struct {
		fleet Fleet
		name  string
		want  func(error) bool
	}{
		"no fleet":   {name: "workers"},
		"nothing":    {name: "workers", fleet: fleet{queue: &v1beta1.MaintenancePolicyQueue{}}},
		"no policy":  {name: "others", fleet: fleet{}, want: apierrors.IsNotFound},
		"not known":  {name: "workers", fleet: fleet{err: errors.New("not yet")}, want: apierrors.IsServiceUnavailable},
		"none known": {name: "others", want: apierrors.IsNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			queue, err := New(fleet{}, test.fleet).Get(t.Context(), test.name, nil)
			switch {
			case test.want != nil:
				if !test.want(err) {
					t.Errorf("got %v", err)
				}
			case err != nil:
				t.Error(err)
			case queue.(*v1beta1.MaintenancePolicyQueue).Items == nil:
				t.Error("items are null")
			}
		})
	}
}
