// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// claim is an owner in a former version, as a client may send it.
const claim = `"managedFields":[{"manager":"x","operation":"Apply","apiVersion":"` + medik8s + `","fieldsType":"FieldsV1",` +
	`"fieldsV1":{"f:spec":{"f:nodeName":{},"f:reason":{}}}}]`

// claimed is an object with such an owner.
func claimed(version string) string {
	return strings.Replace(sample(version, "a", "worker-1"), `"name":"a"`, `"name":"a",`+claim, 1)
}

// An owner in a former version that a client brings along takes nothing from what is applied later.
func TestOwnersThatClientsBring(t *testing.T) {
	bring := map[string]func(s *testServer) answer{
		"create": func(s *testServer) answer {
			return s.do("alice", http.MethodPost, collection, asJSON, claimed(own))
		},
		"create in an old group": func(s *testServer) answer {
			return s.do("alice", http.MethodPost, in(kubeVirtBeta), asJSON, claimed(kubeVirtBeta))
		},
		"update": func(s *testServer) answer {
			version := s.create("alice", "a", "worker-1").ResourceVersion
			body := strings.Replace(claimed(own), `"name":"a"`, `"name":"a","resourceVersion":"`+version+`"`, 1)
			return s.do("alice", http.MethodPut, collection+"/a", asJSON, body)
		},
		"patch": func(s *testServer) answer {
			s.create("alice", "a", "worker-1")
			return s.do("alice", http.MethodPatch, collection+"/a", asMergePatch, `{"metadata":{`+claim+`}}`)
		},
		"patch in an old group": func(s *testServer) answer {
			s.create("alice", "a", "worker-1")
			return s.do("alice", http.MethodPatch, in(kubeVirtAlpha)+"/a", asMergePatch, `{"metadata":{`+claim+`}}`)
		},
		"patch of the status": func(s *testServer) answer {
			s.create("alice", "a", "worker-1")
			return s.do(server, http.MethodPatch, collection+"/a/status", asMergePatch, `{"metadata":{`+claim+`}}`)
		},
	}
	for name, send := range bring {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			if got := send(s); got.code != http.StatusOK && got.code != http.StatusCreated {
				t.Fatalf("got %d: %s", got.code, got.body)
			}
			for _, owner := range owners(s.get("a")) {
				if !strings.HasSuffix(owner, own) {
					t.Errorf("stored owner %q, want one of %s", owner, own)
				}
			}
			got := s.apply(t, "x", own, `{"nodeName":"worker-1","reason":"disk","stage":"Cordon",`+
				`"drain":{"emptyDirPods":"Block","podSelector":{"matchLabels":{"a":"b"}}}}`, http.StatusOK, "&force=true")
			if drain := got.Spec.Drain; got.Spec.Stage != v1beta1.StageCordon || drain.EmptyDirPods != v1beta1.PolicyBlock || drain.PodSelector == nil {
				t.Errorf("got %+v, want what was applied", got.Spec)
			}
		})
	}
}

// A manager that applies in a former version in between still owns what it applied in ours.
func TestApplyInBetweenKeepsOwnership(t *testing.T) {
	everyOld(t, func(t *testing.T, s *testServer, version string) {
		const plain = `{"nodeName":"worker-1","reason":"disk"}`
		s.apply(t, "x", own, `{"nodeName":"worker-1","reason":"disk","expirationSeconds":3600,"drain":{"timeoutSeconds":60,"onTimeout":"Delete"}}`, http.StatusCreated)
		before := s.get("a")
		between := s.apply(t, "x", version, plain, http.StatusOK)
		if diff := cmp.Diff(before.Spec, between.Spec); diff != "" {
			t.Errorf("an apply of a former version changed the spec (-want +got):\n%s", diff)
		}
		if between.ResourceVersion != before.ResourceVersion {
			t.Errorf("an apply that changes nothing was stored: %s", fieldsOf(t, between, "x"))
		}
		after := s.apply(t, "x", own, plain, http.StatusOK)
		if after.Spec.Drain.OnTimeout != v1beta1.OnTimeoutReport || after.Spec.Drain.TimeoutSeconds != nil || after.Spec.ExpirationSeconds != nil {
			t.Errorf("got %+v, want the defaults of what is applied no more", after.Spec)
		}
	})
}
