// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// testFleet is a fleet in which every hold waits, once there is a wait.
type testFleet struct {
	mu    sync.Mutex
	waits []v1beta1.AdmissionWait
	asked int
}

func (f *testFleet) wait(waits ...v1beta1.AdmissionWait) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waits = waits
}

func (f *testFleet) timesAsked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func (f *testFleet) forecast() *v1beta1.AdmissionForecast {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.waits == nil {
		return nil
	}
	return &v1beta1.AdmissionForecast{WaitingFor: f.waits, Positions: []v1beta1.QueuePosition{{Policy: "workers", Position: 2, Of: 3}}}
}

func (f *testFleet) Forecast(context.Context, *v1beta1.NodeMaintenance) (*v1beta1.AdmissionForecast, string, error) {
	return f.forecast(), "2 of 2 nodes", nil
}

func (f *testFleet) Waiting(context.Context) (map[string][]v1beta1.AdmissionForecast, error) {
	if forecast := f.forecast(); forecast != nil {
		return map[string][]v1beta1.AdmissionForecast{"worker-1": {*forecast}}, nil
	}
	return nil, nil
}

func (f *testFleet) Queue(_ context.Context, policy string) (*v1beta1.MaintenancePolicyQueue, error) {
	return &v1beta1.MaintenancePolicyQueue{Items: []v1beta1.QueuedMaintenance{{Position: 1, Name: "of " + policy, Node: "worker-1"}}}, nil
}

var queued = v1beta1.AdmissionWait{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: "2 of 2 nodes"}

func TestNodesShowWhatTheyWaitFor(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodGet, nodes, asJSON, "").want(t, http.StatusOK)
	s.do("alice", http.MethodGet, nodes+"/worker-1", asJSON, "").want(t, http.StatusOK)
	if asked := s.fleet.timesAsked(); asked > 0 {
		t.Errorf("the fleet was asked %d times although no hold waits", asked)
	}
	s.fleet.wait(queued)
	s.create("alice", "a", "worker-1")
	for path, get := range map[string]func(answer) v1beta1.NodeState{
		nodes + "/worker-1": func(a answer) v1beta1.NodeState { return decode[v1beta1.NodeState](t, a) },
		nodes: func(a answer) v1beta1.NodeState {
			list := decode[v1beta1.NodeStateList](t, a)
			for _, state := range list.Items {
				if state.Name != "worker-1" && state.Status.Admission != nil {
					t.Errorf("%s waits: %+v", state.Name, state.Status.Admission)
				}
			}
			return list.Items[0]
		},
	} {
		state := get(s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK))
		if admission := state.Status.Admission; admission == nil || len(admission.WaitingFor) != 1 || admission.WaitingFor[0] != queued || admission.Positions[0].Position != 2 {
			t.Errorf("GET %s: got %+v", path, admission)
		}
	}
}

// A watch shows what the hold itself says, when it says it.
func TestWatchesOfNodesTellWhatTheHoldsSay(t *testing.T) {
	s := startServer(t)
	s.create("alice", "a", "worker-1")
	watch := s.watchNodes(url.Values{"fieldSelector": {"metadata.name=worker-1"}})
	watch.next()
	s.fleet.wait(queued) // changes nothing by itself
	s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"status":{"admission":{"stage":"Idle","waitingFor":[
		{"policy":"workers","reason":"WindowClosed","message":"opens Sat"}]}}}`).want(t, http.StatusOK)
	admission := watch.next().Object.Status.Admission
	if admission == nil || admission.WaitingFor[0].Message != "opens Sat" || admission.Positions != nil {
		t.Errorf("got %+v, want what the hold says", admission)
	}
}

func TestDrainPlansSayWhetherMaintenanceWouldStart(t *testing.T) {
	s := startServer(t)
	path := nodes + "/worker-1/drainplan"
	if plan := decode[v1beta1.DrainPlan](t, s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK)); plan.Status.Admission != nil {
		t.Errorf("without policies: %+v", plan.Status.Admission)
	}
	s.fleet.wait(queued)
	plan := decode[v1beta1.DrainPlan](t, s.do("alice", http.MethodGet, path, asJSON, "").want(t, http.StatusOK))
	if admission := plan.Status.Admission; admission == nil || admission.StartsNow || admission.WaitingFor[0] != queued {
		t.Errorf("got %+v", admission)
	}
}

func TestQueueOfAPolicy(t *testing.T) {
	s := startServer(t)
	s.do("alice", http.MethodGet, policies+"/workers/queue", asJSON, "").want(t, http.StatusNotFound)
	s.do("alice", http.MethodPost, policies, asJSON, askingForAll).want(t, http.StatusCreated)
	queue := decode[v1beta1.MaintenancePolicyQueue](t, s.do("alice", http.MethodGet, policies+"/workers/queue", asJSON, "").want(t, http.StatusOK))
	if queue.Kind != "MaintenancePolicyQueue" || len(queue.Items) != 1 || queue.Items[0].Name != "of workers" {
		t.Errorf("got %+v", queue)
	}
	s.do("alice", http.MethodGet, policies+"/workers/queue", asTable, "").want(t, http.StatusOK).wantText(t, `"name":"Waiting For"`)
}
