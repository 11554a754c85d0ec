// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// changingNodes are those of everyNode, and one more at a time.
type changingNodes struct {
	everyNode
	mu    sync.Mutex
	more  *corev1.Node
	tells []func(string)
}

func (n *changingNodes) Node(name string) (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.more != nil && n.more.Name == name {
		return n.more, nil
	}
	return n.everyNode.Node(name)
}

func (n *changingNodes) WatchNodes(changed func(string)) (func(), error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tells = append(n.tells, changed)
	return func() {}, nil
}

// set adds the node, or takes it away if it is nil.
func (n *changingNodes) set(name string, node *corev1.Node) {
	n.mu.Lock()
	n.more = node
	tells := n.tells
	n.mu.Unlock()
	for _, tell := range tells {
		tell(name)
	}
}

// stateEvent is an event of a watch of nodes.
type stateEvent struct {
	Type   string
	Object v1beta1.NodeState
}

// nodeWatch is a watch of nodes over HTTP.
type nodeWatch struct {
	t       *testing.T
	decoder *json.Decoder
}

func (s *testServer) watchNodes(query url.Values) *nodeWatch {
	s.t.Helper()
	query.Set("watch", "1")
	response := s.send("alice", http.MethodGet, nodes+"?"+query.Encode(), asJSON, "")
	s.t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("the watch is answered with %s", response.Status)
	}
	return &nodeWatch{t: s.t, decoder: json.NewDecoder(response.Body)}
}

func (w *nodeWatch) next() stateEvent {
	w.t.Helper()
	var event stateEvent
	if err := w.decoder.Decode(&event); err != nil {
		w.t.Fatalf("no event: %v", err)
	}
	return event
}

// want reads an event for each of "TYPE name state".
func (w *nodeWatch) want(events ...string) {
	w.t.Helper()
	for _, want := range events {
		event := w.next()
		got := strings.TrimSpace(strings.Join([]string{event.Type, event.Object.Name, string(event.Object.Status.State)}, " "))
		if got != want || event.Object.ResourceVersion == "" {
			w.t.Fatalf("got event %q of version %q, want %q", got, event.Object.ResourceVersion, want)
		}
	}
}

func (s *testServer) listNodes(query url.Values) v1beta1.NodeStateList {
	s.t.Helper()
	return decode[v1beta1.NodeStateList](s.t, s.do("alice", http.MethodGet, nodes+"?"+query.Encode(), asJSON, "").want(s.t, http.StatusOK))
}

func TestWatchOfNodesGoesOnFromAList(t *testing.T) {
	s := startServer(t)
	list := s.listNodes(url.Values{"limit": {"1"}})
	s.create("alice", "a", "worker-1")
	s.listNodes(nil) // now the hold is known
	s.nodes.set("worker-0", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}})
	w := s.watchNodes(url.Values{"resourceVersion": {list.ResourceVersion}})
	w.want("MODIFIED worker-1 Pending")
	added := w.next()
	if added.Type != "ADDED" || added.Object.Name != "worker-0" {
		t.Fatalf("got %+v, want the new node", added)
	}
	s.nodes.set("worker-0", nil)
	w.want("DELETED worker-0 InService")
	// Another watch goes on from an event, and a list of another page from the first page.
	again := s.watchNodes(url.Values{"resourceVersion": {added.Object.ResourceVersion}})
	again.want("DELETED worker-0 InService")
	rest := s.listNodes(url.Values{"continue": {list.Continue}})
	if len(rest.Items) != 2 || rest.ResourceVersion != list.ResourceVersion {
		t.Errorf("got the rest %+v", rest.ListMeta)
	}
}

// The watch of the nodes has not told of the node yet.
func TestStateOfANewNode(t *testing.T) {
	s := startServer(t)
	s.listNodes(nil)
	s.nodes.mu.Lock()
	s.nodes.more = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	s.nodes.mu.Unlock()
	s.do("alice", http.MethodGet, nodes+"/worker-0", asJSON, "").want(t, http.StatusOK)
}

// There are more changes than the watch is handed at once, and no more follow.
func TestWatchOfNodesGoesOnFromLongAgo(t *testing.T) {
	s := startServer(t)
	list := s.listNodes(nil)
	const changes = 200
	var want []string
	for i := range changes {
		event, node := "MODIFIED worker-0 InService", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
		if node.Spec.Unschedulable = i%2 == 1; node.Spec.Unschedulable {
			event = "MODIFIED worker-0 Unschedulable"
		}
		if i == 0 {
			event = "ADDED worker-0 InService"
		}
		s.nodes.set("worker-0", node)
		want = append(want, event)
	}
	s.watchNodes(url.Values{"resourceVersion": {list.ResourceVersion}}).want(want...)
}

// Who watches only some nodes sees a node come and go with what the watch selects.
func TestWatchOfSelectedNodes(t *testing.T) {
	s := startServer(t)
	pending := s.watchNodes(url.Values{"fieldSelector": {"status.state=Pending"}})
	inService := s.watchNodes(url.Values{"fieldSelector": {"status.state=InService"}, "labelSelector": {"name in (worker-1,worker-2)"}})
	inService.want("ADDED worker-1 InService", "ADDED worker-2 InService")
	s.create("alice", "a", "worker-1")
	pending.want("ADDED worker-1 Pending")
	inService.want("DELETED worker-1 InService")
	s.create("bob", "b", "worker-1")
	pending.want("MODIFIED worker-1 Pending")
	s.create("bob", "c", "worker-3")
	pending.want("ADDED worker-3 Pending")
	s.create("bob", "d", "worker-2")
	inService.want("DELETED worker-2 InService")
}

// Informers begin with what exists, and are told when they have all of it.
func TestWatchOfNodesWithInitialEvents(t *testing.T) {
	s := startServer(t)
	list := s.listNodes(nil)
	s.create("alice", "a", "worker-2")
	for name, version := range map[string]string{"from now on": "", "no older than": list.ResourceVersion, "no older than an earlier run's": "1"} {
		t.Run(name, func(t *testing.T) {
			query := url.Values{"sendInitialEvents": {"true"}, "resourceVersionMatch": {"NotOlderThan"}, "allowWatchBookmarks": {"true"}, "resourceVersion": {version}}
			w := s.watchNodes(query)
			w.want("ADDED worker-1 InService", "ADDED worker-2 Pending", "ADDED worker-3 InService")
			if bookmark := w.next(); bookmark.Type != "BOOKMARK" || bookmark.Object.Annotations[metav1.InitialEventsAnnotationKey] != "true" || bookmark.Object.ResourceVersion == "" {
				t.Errorf("got %+v, want the bookmark that ends the first events", bookmark)
			}
		})
	}
}

// A client of another run of the server, or one that has slept for too long, is to list again.
func TestVersionsThatTheServerDoesNotKnow(t *testing.T) {
	s := startServer(t)
	s.listNodes(nil)
	tests := map[string]struct {
		query url.Values
		code  int
	}{
		"watch, an earlier run":    {url.Values{"watch": {"1"}, "resourceVersion": {"5"}}, http.StatusGone},
		"watch, a later run":       {url.Values{"watch": {"1"}, "resourceVersion": {"9000000000000000000"}}, http.StatusGone},
		"watch, no version":        {url.Values{"watch": {"1"}, "resourceVersion": {"x"}}, http.StatusBadRequest},
		"list, a later run":        {url.Values{"resourceVersion": {"9000000000000000000"}}, http.StatusGone},
		"list, exactly an old one": {url.Values{"resourceVersion": {"5"}, "resourceVersionMatch": {"Exact"}}, http.StatusGone},
		"list, an old page":        {url.Values{"continue": {"NS93b3JrZXItMQ"}}, http.StatusGone}, // 5/worker-1
		"list, no older than":      {url.Values{"resourceVersion": {"5"}, "resourceVersionMatch": {"NotOlderThan"}}, http.StatusOK},
		"list, any":                {url.Values{"resourceVersion": {"0"}}, http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answer := s.do("alice", http.MethodGet, nodes+"?"+test.query.Encode(), asJSON, "").want(t, test.code)
			if test.code == http.StatusGone {
				answer.wantText(t, "list the nodes again").wantText(t, `"reason":"Expired"`)
			}
		})
	}
}

// A table has what kubectl needs to go on with a watch.
func TestTableOfNodesHasAVersion(t *testing.T) {
	s := startServer(t)
	list := decode[metav1.Table](t, s.do("alice", http.MethodGet, nodes, asTable, "").want(t, http.StatusOK))
	one := decode[metav1.Table](t, s.do("alice", http.MethodGet, nodes+"/worker-1", asTable, "").want(t, http.StatusOK))
	if list.ResourceVersion == "" || one.ResourceVersion == "" {
		t.Errorf("got versions %q and %q", list.ResourceVersion, one.ResourceVersion)
	}
}
