// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// Evictions counts how often the API server carried out the eviction of each of
// the pool's pods. The server under test names the pod's UID in every request.
func (p *Pool) Evictions(t *testing.T) map[types.UID]int {
	t.Helper()
	events, err := p.Cluster.AuditEvents(p.Name, func(event *auditv1.Event) bool {
		return localcluster.IsEviction(event) && event.ObjectRef.Namespace == p.Name &&
			event.ResponseStatus != nil && event.ResponseStatus.Code == http.StatusCreated
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[types.UID]int{}
	for _, event := range events {
		uid, err := evictedUID(event.RequestObject.Raw)
		if err != nil {
			t.Fatalf("could not read the eviction of pod %s: %v", event.ObjectRef.Name, err)
		}
		counts[uid]++
	}
	return counts
}

func evictedUID(body []byte) (types.UID, error) {
	var eviction policyv1.Eviction
	if err := json.Unmarshal(body, &eviction); err != nil {
		return "", err
	}
	if eviction.DeleteOptions == nil || eviction.DeleteOptions.Preconditions == nil || eviction.DeleteOptions.Preconditions.UID == nil {
		return "", fmt.Errorf("it names no UID: %s", body)
	}
	return *eviction.DeleteOptions.Preconditions.UID, nil
}

// WantEvictedOnce checks that these pods were evicted once, and no pod of the pool
// twice.
func (p *Pool) WantEvictedOnce(t *testing.T, pods []types.UID) {
	t.Helper()
	counts := p.Evictions(t)
	for _, uid := range pods {
		if counts[uid] != 1 {
			t.Errorf("pod %s was evicted %d times, want once", uid, counts[uid])
		}
	}
	for uid, count := range counts {
		if count > 1 {
			t.Errorf("pod %s was evicted %d times", uid, count)
		}
	}
}
