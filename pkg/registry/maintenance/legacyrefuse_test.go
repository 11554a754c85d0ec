// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wantRefusal checks the whole text of an error, and that it names the resource of the old group.
func (a answer) wantRefusal(t *testing.T, version string, code int, text string) {
	t.Helper()
	status := decode[metav1.Status](t, a.want(t, code))
	group, _, _ := strings.Cut(version, "/")
	if status.Message != text || status.Details == nil || status.Details.Group != group {
		t.Errorf("got %q with details %+v, want %q of group %s", status.Message, status.Details, text, group)
	}
}

// The operators' webhooks refused the same in these words.
func TestOldRefusals(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		group, _, _ := strings.Cut(version, "/")
		post := func(name, node string) answer {
			return s.do("alice", http.MethodPost, in(version), asJSON, sample(version, name, node))
		}
		post("a", "worker-9").wantRefusal(t, version, http.StatusForbidden, "invalid nodeName, no node with name worker-9 found")
		s.create("bob", "own", "worker-1")
		post("a", "worker-1").wantRefusal(t, version, http.StatusForbidden, "invalid nodeName, a NodeMaintenance for node worker-1 already exists")
		s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=x", asApply, sample(version, "a", "worker-1")).
			wantRefusal(t, version, http.StatusForbidden, "invalid nodeName, a NodeMaintenance for node worker-1 already exists")
		s.do("bob", http.MethodDelete, collection+"/own", asJSON, "").want(t, http.StatusOK)
		post("a", "worker-1").wantRefusal(t, version, http.StatusForbidden, "invalid nodeName, a NodeMaintenance for node worker-1 already exists")
		post("a", "worker-2").want(t, http.StatusCreated)
		post("a", "worker-3").wantRefusal(t, version, http.StatusConflict, `nodemaintenances.`+group+` "a" already exists`)
		s.do("alice", http.MethodPatch, in(version)+"/a", asMergePatch, `{"spec":{"nodeName":"worker-3"}}`).
			wantRefusal(t, version, http.StatusForbidden, "updating spec.NodeName isn't allowed")
		s.do("alice", http.MethodGet, in(version)+"/missing", asJSON, "").wantRefusal(t, version, http.StatusNotFound, `nodemaintenances.`+group+` "missing" not found`)
		s.do("alice", http.MethodDelete, in(version)+"/missing", asJSON, "").wantRefusal(t, version, http.StatusNotFound, `nodemaintenances.`+group+` "missing" not found`)
		s.do("alice", http.MethodPatch, in(version)+"/a", asMergePatch, `{"metadata":{"resourceVersion":"1"}}`).want(t, http.StatusConflict).
			wantText(t, `Operation cannot be fulfilled on nodemaintenances.`+group+` "a"`)
		s.do("alice", http.MethodPatch, in(version)+"/a", asMergePatch, `{"spec":{"reason":"two\nlines"}}`).want(t, http.StatusUnprocessableEntity).
			wantText(t, `NodeMaintenance.`+group+` "a" is invalid`)
		// Through our own group several holds may name one node.
		s.create("bob", "b", "worker-2")
	})
}

// What our group refuses to protect the control plane is refused in the words of the operator.
func TestOldQuorum(t *testing.T) {
	want := map[string]string{
		medik8s:       "can not put master/control-plane node into maintenance at this moment, disrupting node cp-1 will violate etcd quorum",
		kubeVirtBeta:  "can not put master node into maintenance at this moment, it would violate the master quorum",
		kubeVirtAlpha: "can not put master node into maintenance at this moment, it would violate the master quorum",
	}
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "cp-1")).wantRefusal(t, version, http.StatusForbidden, want[version])
		s.do("alice", http.MethodPatch, in(version)+"/a?fieldManager=x", asApply, sample(version, "a", "cp-1")).
			wantRefusal(t, version, http.StatusForbidden, want[version])
		s.do("alice", http.MethodPost, collection, asJSON, `{"metadata":{"name":"idle"},"spec":{"nodeName":"cp-1","stage":"Idle"}}`).want(t, http.StatusCreated)
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "cp-1")).
			wantRefusal(t, version, http.StatusForbidden, "invalid nodeName, a NodeMaintenance for node cp-1 already exists")
	})
}

// Twenty creates at once, through all groups: one is stored.
func TestOldCreatesAtOnce(t *testing.T) {
	s := startServer(t)
	versions := []string{medik8s, kubeVirtBeta, kubeVirtAlpha}
	var stored, refused atomic.Int32
	var running sync.WaitGroup
	for i := range 20 {
		running.Go(func() {
			version := versions[i%len(versions)]
			got := s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "hold-"+string(rune('a'+i)), "worker-1"))
			switch {
			case got.code == http.StatusCreated:
				stored.Add(1)
			case got.code == http.StatusForbidden && strings.Contains(string(got.body), "a NodeMaintenance for node worker-1 already exists"):
				refused.Add(1)
			default:
				t.Errorf("got %d: %s", got.code, got.body)
			}
		})
	}
	running.Wait()
	if stored.Load() != 1 || refused.Load() != 19 {
		t.Errorf("%d were stored and %d refused, want 1 and 19", stored.Load(), refused.Load())
	}
}

// The rights are those of our own group, for the node.
func TestOldGroupsAreAuthorized(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		group, _, _ := strings.Cut(version, "/")
		s.rights.take("eve create nodes/maintenance", "eve update nodes/maintenance", "eve delete nodes/maintenance", "bob update nodes/holds")
		path := in(version) + "/a"
		s.do("eve", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-1")).want(t, http.StatusForbidden).
			wantText(t, `nodemaintenances.`+group+` "a" is forbidden: User "eve" cannot create resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "worker-1"`)
		// She learns nothing of the cluster's nodes.
		s.do("eve", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-9")).want(t, http.StatusForbidden).wantText(t, `User "eve" cannot create`)
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-1")).want(t, http.StatusCreated)
		for _, write := range []answer{
			s.do("eve", http.MethodPatch, path, asMergePatch, `{"spec":{"reason":"new"}}`),
			s.do("eve", http.MethodPatch, path, asMergePatch, `{"spec":{"nodeName":"worker-2"}}`),
			s.do("eve", http.MethodPatch, path+"/status", asMergePatch, `{"status":{"lastError":"new"}}`),
			s.do("eve", http.MethodPatch, path+"?fieldManager=x&force=true", asApply, sample(version, "a", "worker-1")),
			s.do("eve", http.MethodDelete, path, asJSON, ""),
			s.do("eve", http.MethodDelete, in(version), asJSON, ""),
			s.do("bob", http.MethodPatch, path, asMergePatch, `{"spec":{"reason":"new"}}`),
		} {
			write.want(t, http.StatusForbidden).wantText(t, `in API group "maintenance.medik8s.io" named "worker-1"`)
		}
		// A client that changes nothing needs no right to the hold of another.
		seen := s.do("bob", http.MethodGet, path, asJSON, "").want(t, http.StatusOK)
		s.do("bob", http.MethodPut, path, asJSON, string(seen.body)).want(t, http.StatusOK)
	})
}

func TestOldGroupsHaveTheSameLimits(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		group, _, _ := strings.Cut(version, "/")
		full := "the store is full"
		s.space.refusal.Store(&full)
		s.do("alice", http.MethodPost, in(version), asJSON, sample(version, "a", "worker-1")).
			wantRefusal(t, version, http.StatusInsufficientStorage, `nodemaintenances.`+group+` "a" was not created: the store is full`)
		s.space.refusal.Store(nil)
		dry := s.do("alice", http.MethodPost, in(version)+"?dryRun=All", asJSON, sample(version, "a", "worker-1")).want(t, http.StatusCreated)
		if strings.Contains(string(dry.body), "plan") {
			t.Errorf("the answer to a dry run has a plan: %s", dry.body)
		}
		s.do("alice", http.MethodGet, in(version)+"/a", asJSON, "").want(t, http.StatusNotFound)
		// A CRD prunes unknown fields.
		pruned := strings.Replace(sample(version, "a", "worker-1"), `"spec":{`, `"spec":{"unknown":1,`, 1)
		s.do("alice", http.MethodPost, in(version), asJSON, pruned).want(t, http.StatusCreated).wantText(t, `unknown field "spec.unknown"`)
	})
}

func TestOldDeleteCollection(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		s.create("alice", "a", "worker-1")
		s.create("bob", "b", "worker-2")
		s.do("admin", http.MethodDelete, in(version), asJSON, "").want(t, http.StatusOK).wantText(t, "foregroundDeleteNodeMaintenance")
		for _, name := range []string{"a", "b"} {
			if s.get(name).DeletionTimestamp == nil {
				t.Errorf("%s is not being deleted", name)
			}
		}
	})
}
