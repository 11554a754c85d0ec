// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source/aws/ec2test"
)

const (
	frankfurt = "eu-central-1"
	oregon    = "us-west-2"
)

var (
	// stop and reboot are events as EC2 tells them.
	stop   = ec2test.Event{ID: "instance-event-1", Code: "instance-stop", Description: "The instance is running on degraded hardware", NotBefore: at(1)}
	reboot = ec2test.Event{
		ID: "instance-event-2", Code: "system-reboot", Description: "scheduled reboot", NotBefore: at(1), NotAfter: at(2), Deadline: at(9),
	}
)

// at is a time so many days later.
func at(days int) time.Time { return time.Date(2026, 5, days, 10, 0, 0, 0, time.UTC) }

func stored(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }

// instance is the id of the instance of that number.
func instance(number int) string { return fmt.Sprintf("i-%017x", number) }

// world is a cloud, and a source that asks it for the instances of nodes.
type world struct {
	*Source
	cloud *ec2test.Server
	nodes []*corev1.Node
}

func newWorld(t *testing.T) *world {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": "/none", "AWS_SHARED_CREDENTIALS_FILE": "/none",
	} {
		t.Setenv(name, value)
	}
	w := &world{cloud: ec2test.Start()}
	t.Cleanup(w.cloud.Close)
	w.Source = New(Config{Settings: Settings{Endpoint: w.cloud.URL()}, Nodes: func() ([]*corev1.Node, error) { return w.nodes, nil }})
	w.limits = limits{region: time.Minute, request: time.Minute, backoff: time.Millisecond, tries: 3}
	return w
}

// add adds a node, and its instance to the cloud.
func (w *world) add(region string, number int, events ...ec2test.Event) {
	w.cloud.Put(region, instance(number), events...)
	w.addNode("aws:///" + region + "a/" + instance(number))
}

func (w *world) addNode(providerID string) {
	w.nodes = append(w.nodes, &corev1.Node{Spec: corev1.NodeSpec{ProviderID: providerID}})
}

// ask asks once.
func (w *world) ask(t *testing.T) source.Answer {
	t.Helper()
	answer, err := w.Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// sizes are those of the batches that the cloud was asked for, in order.
func (w *world) sizes() (sizes []int) {
	for _, request := range w.cloud.Requests() {
		sizes = append(sizes, len(request.Instances))
	}
	return sizes
}

func TestEvents(t *testing.T) {
	w := newWorld(t)
	w.add(frankfurt, 1, stop, reboot)
	w.add(oregon, 2)
	want := source.Answer{
		Events: map[string]source.Event{
			"instance-event-1": {
				ID: "instance-event-1", Code: "instance-stop", InstanceID: instance(1), State: v1beta1.EventScheduled,
				Description: "The instance is running on degraded hardware", NotBefore: stored(at(1)),
			},
			"instance-event-2": {
				ID: "instance-event-2", Code: "system-reboot", InstanceID: instance(1), State: v1beta1.EventScheduled, Description: "scheduled reboot",
				NotBefore: stored(at(1)), NotAfter: stored(at(2)), Deadline: stored(at(9)),
			},
		},
		Asked: sets.New(instance(1), instance(2)), Answered: sets.New(instance(1), instance(2)),
		Regions: map[string]error{frankfurt: nil, oregon: nil},
	}
	if diff := cmp.Diff(want, w.ask(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, request := range w.cloud.Requests() {
		if !request.All {
			t.Errorf("request %v does not ask for instances that do not run", request)
		}
	}
}

// Each request names at most 100 instances, and all pages are read.
func TestBatchesAndPages(t *testing.T) {
	w := newWorld(t)
	w.cloud.PageSize(40)
	for i := range 250 {
		w.add(frankfurt, i, ec2test.Event{ID: fmt.Sprint("e", i), Code: "instance-stop"})
	}
	answer := w.ask(t)
	if len(answer.Events) != 250 || answer.Answered.Len() != 250 || answer.Regions[frankfurt] != nil {
		t.Errorf("got %d events of %d instances (%v), want 250 of 250", len(answer.Events), answer.Answered.Len(), answer.Regions)
	}
	if want := []int{100, 100, 100, 100, 100, 100, 50, 50}; !slices.Equal(w.sizes(), want) {
		t.Errorf("asked for batches of %v, want %v", w.sizes(), want)
	}
}

// What goes wrong in one region, or with one batch, keeps no other from answering, and nothing counts as answered there.
func TestTroubles(t *testing.T) {
	tests := map[string]struct {
		kind     ec2test.Trouble
		requests int
		// wantAnswered is how many of the instances of Frankfurt are answered for.
		wantAnswered int
		wantRequests int
		wantError    string
	}{
		"throttled for a while":        {kind: ec2test.Throttled, requests: 2, wantAnswered: 150, wantRequests: 4},
		"a failure that passes":        {kind: ec2test.Failing, requests: 1, wantAnswered: 150, wantRequests: 3},
		"throttled for one batch":      {kind: ec2test.Throttled, requests: 3, wantAnswered: 50, wantRequests: 4, wantError: "RequestLimitExceeded"},
		"throttled":                    {kind: ec2test.Throttled, requests: -1, wantRequests: 6, wantError: "RequestLimitExceeded"},
		"failing":                      {kind: ec2test.Failing, requests: -1, wantRequests: 6, wantError: "InternalError"},
		"not permitted":                {kind: ec2test.Denied, requests: -1, wantRequests: 2, wantError: "UnauthorizedOperation"},
		"hanging":                      {kind: ec2test.Hanging, requests: -1, wantRequests: 6, wantError: "exceeded"},
		"a request that hangs, passes": {kind: ec2test.Hanging, requests: 1, wantAnswered: 150, wantRequests: 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.kind == ec2test.Hanging {
				w.limits.request, w.limits.region = 5*time.Second, 5*time.Minute // long enough for the requests that do not hang
			}
			for i := range 150 {
				w.add(frankfurt, i, ec2test.Event{ID: fmt.Sprint("e", i), Code: "instance-stop"})
			}
			w.add(oregon, 1000, stop)
			w.cloud.Trouble(frankfurt, test.kind, test.requests)
			answer := w.ask(t)
			if !answer.Answered.Has(instance(1000)) || answer.Regions[oregon] != nil || answer.Events["instance-event-1"].ID == "" {
				t.Errorf("Oregon has not answered: %v", answer.Regions)
			}
			if got := answer.Answered.Len() - 1; got != test.wantAnswered || answer.Asked.Len() != 151 {
				t.Errorf("%d of %d instances are answered for, want %d", got, answer.Asked.Len(), test.wantAnswered)
			}
			if err := answer.Regions[frankfurt]; (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("got %v, want %q", err, test.wantError)
			}
			if got := len(w.cloud.Requests()) - 1; got != test.wantRequests {
				t.Errorf("%d requests, want %d", got, test.wantRequests)
			}
		})
	}
}

// A region that never answers takes only so much of a poll.
func TestRegionThatTakesTooLong(t *testing.T) {
	w := newWorld(t)
	w.limits.region, w.limits.request = 50*time.Millisecond, time.Hour
	for i := range 500 {
		w.add(frankfurt, i)
	}
	w.cloud.Trouble(frankfurt, ec2test.Hanging, -1)
	if answer := w.ask(t); answer.Regions[frankfurt] == nil || answer.Answered.Len() > 0 || len(w.cloud.Requests()) > 1 {
		t.Errorf("got %v after %d requests, want an error after one", answer, len(w.cloud.Requests()))
	}
}

// Instances that do not exist any more keep the others of their batch from nothing. Their events are over.
func TestInstancesThatAreGone(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.add(frankfurt, i, ec2test.Event{ID: fmt.Sprint("e", i), Code: "instance-stop"})
	}
	w.cloud.Remove(frankfurt, instance(1))
	w.cloud.Remove(frankfurt, instance(3))
	w.cloud.Hide(instance(4))
	answer := w.ask(t)
	if got := slices.Sorted(maps.Keys(answer.Events)); !slices.Equal(got, []string{"e0", "e2"}) || answer.Regions[frankfurt] != nil {
		t.Errorf("got the events %v (%v), want e0 and e2", got, answer.Regions)
	}
	if want := sets.New(instance(0), instance(1), instance(2), instance(3)); !answer.Answered.Equal(want) {
		t.Errorf("answered for %v, want %v: what is not listed is not answered for", sets.List(answer.Answered), sets.List(want))
	}
	if want := []int{5, 3}; !slices.Equal(w.sizes(), want) {
		t.Errorf("asked for batches of %v, want %v", w.sizes(), want)
	}
}

// A node that says that the instance of another is in a region of its own choice hides nothing.
func TestInstanceInTwoRegions(t *testing.T) {
	w := newWorld(t)
	w.add(frankfurt, 1, stop)
	w.addNode("aws:///" + oregon + "a/" + instance(1))
	if answer := w.ask(t); len(answer.Events) != 1 || !answer.Answered.Has(instance(1)) {
		t.Errorf("got %v, want the event", answer)
	}
	w.cloud.Trouble(frankfurt, ec2test.Failing, -1)
	if answer := w.ask(t); answer.Answered.Has(instance(1)) {
		t.Error("the instance is answered for, although its region has failed")
	}
}

func TestRegionOfTheServer(t *testing.T) {
	w := newWorld(t)
	w.cloud.Put(oregon, instance(1), stop)
	w.addNode("aws:////" + instance(1))
	if answer := w.ask(t); answer.Answered.Len() > 0 || answer.Regions[noRegion] == nil {
		t.Errorf("got %v, want an error: no region is known", answer)
	}
	t.Setenv("AWS_REGION", oregon)
	if answer := w.ask(t); len(answer.Events) != 1 {
		t.Errorf("got %v, want the event", answer)
	}
}
