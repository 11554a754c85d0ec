// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// threeChannels tells three channels. Slack finds messages only in a channel that is named by its id.
const threeChannels = `
checks:
- {name: needed, nodeLabel: {key: needed}}
notifiers:
- {name: found, slack: {endpoint: POOL, channel: C0123ABCD, message: "{{ .State }}"}}
- {name: again, slack: {endpoint: POOL, channel: "#nodes", message: "{{ .State }}"}}
- {name: once, slack: {endpoint: POOL, channel: C0123ABCE, message: "{{ .State }}"}, delivery: AtMostOnce}
states:
  operational:
    transitions: [{name: required, check: needed, next: MaintenanceRequired}]
  maintenanceRequired:
    notify: [found, again, once]
    transitions: [{name: back, check: "!needed", next: Operational}]
`

// Slack takes each message, and the connection is lost before its answer. What it has is not sent again, if it can be
// found there; what may not come twice is given up.
func (o *own) slackLosesItsAnswer(t *testing.T) {
	t.Parallel()
	p := o.newPool(t, 1)
	slack := &lossySlack{posted: map[string]int{}}
	server := httptest.NewServer(slack)
	t.Cleanup(server.Close)
	p.slackEndpoint(t, server.URL)
	profile := p.profile(t, "told", threeChannels)
	p.label(t, p.Nodes[0], "needed=yes")
	want := map[string]v1beta1.NotificationState{
		"found": v1beta1.NotificationSent, "again": v1beta1.NotificationSent, "once": v1beta1.NotificationUnknown,
	}
	p.wait(t, profile, p.Nodes[0], "all was sent, or given up", func(s *v1beta1.NodeProfileStatus) bool {
		states := map[string]v1beta1.NotificationState{}
		for _, n := range s.Notifications {
			states[n.Notifier] = n.State
		}
		return maps.Equal(states, want)
	})
	if diff := cmp.Diff(map[string]int{"C0123ABCD": 1, "#nodes": 2, "C0123ABCE": 1}, slack.posts()); diff != "" {
		t.Errorf("messages by channel (-want +got):\n%s", diff)
	}
}

// slackEndpoint creates an endpoint for a Slack on this machine, with the name of the pool.
func (p *pool) slackEndpoint(t *testing.T, url string) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: p.Name}, StringData: map[string]string{"token": "xoxb-example"}}
	if _, err := p.Kube.CoreV1().Secrets(localcluster.SecretNamespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create the Secret: %v", err)
	}
	p.createEndpoint(t, &v1beta1.MaintenanceEndpoint{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name},
		Spec: v1beta1.MaintenanceEndpointSpec{
			Slack: &v1beta1.SlackEndpoint{URL: url + "/"}, SecretRef: &v1beta1.EndpointSecretReference{Name: p.Name},
		},
	})
}

func (p *pool) createEndpoint(t *testing.T, endpoint *v1beta1.MaintenanceEndpoint) {
	t.Helper()
	if _, err := p.Maintenance.MaintenanceV1beta1().MaintenanceEndpoints().Create(t.Context(), endpoint, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create endpoint %s: %v", endpoint.Name, err)
	}
}

// lossySlack takes messages. The first one in each channel is not answered: the connection is lost.
type lossySlack struct {
	mu       sync.Mutex
	posted   map[string]int   // by channel
	messages []map[string]any // as the history has them
}

func (s *lossySlack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	channel := r.PostFormValue("channel")
	if r.URL.Path == "/conversations.history" {
		s.reply(w, map[string]any{"ok": true, "messages": s.messages})
		return
	}
	timestamp := "1700000000.000100"
	s.messages = append(s.messages, map[string]any{
		"type": "message", "text": r.PostFormValue("text"), "ts": timestamp, "metadata": json.RawMessage(r.PostFormValue("metadata")),
	})
	if s.posted[channel]++; s.posted[channel] == 1 {
		panic(http.ErrAbortHandler)
	}
	s.reply(w, map[string]any{"ok": true, "channel": channel, "ts": timestamp})
}

func (*lossySlack) reply(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// posts are how many messages each channel has.
func (s *lossySlack) posts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.posted)
}
