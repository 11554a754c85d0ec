// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/metadata"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/scheme"
)

var oldVersion = schema.GroupVersion{Group: "nodemaintenance.medik8s.io", Version: "v1beta1"}

// cluster answers each question about a CRD with err, and counts.
type cluster struct {
	metadata.Getter
	err   error
	asked []string
}

func (c *cluster) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	c.asked = append(c.asked, name)
	return &metav1.PartialObjectMetadata{}, c.err
}

const oldCRD = "nodemaintenances.nodemaintenance.medik8s.io"

var (
	missing   = apierrors.NewNotFound(schema.GroupResource{Resource: "customresourcedefinitions"}, oldCRD)
	forbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, oldCRD, errors.New("no right"))
)

// request asks for the path, and returns the answer; 200 comes from the API behind.
func request(t *testing.T, groups legacyGroups, info genericapirequest.RequestInfo) *httptest.ResponseRecorder {
	t.Helper()
	config := &genericapiserver.Config{Serializer: scheme.Codecs}
	handler := groups.refuse(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), config)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, req.WithContext(genericapirequest.WithRequestInfo(req.Context(), &info)))
	return answer
}

var objects = genericapirequest.RequestInfo{
	IsResourceRequest: true, APIGroup: oldVersion.Group, APIVersion: oldVersion.Version, Resource: "nodemaintenances",
}

func TestGroupOfInstalledCRDIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		err      error
		info     genericapirequest.RequestInfo
		wantCode int
		want     []string
	}{
		"CRD is installed": {
			info: objects, wantCode: http.StatusServiceUnavailable,
			want: []string{"while the CRD " + oldCRD + " is installed", "maintenance-apiserver import", "delete the CRD"},
		},
		"CRD is not installed": {err: missing, info: objects, wantCode: http.StatusOK},
		"may not be known": {
			err: forbidden, info: objects, wantCode: http.StatusServiceUnavailable, want: []string{oldCRD, "the chart's value legacyGroups", "no right"},
		},
		"cannot be known": {
			err: errors.New("no route to host"), info: objects, wantCode: http.StatusServiceUnavailable,
			want: []string{oldCRD, "try again", "no route to host"},
		},
		"discovery":   {info: genericapirequest.RequestInfo{APIGroup: oldVersion.Group, APIVersion: oldVersion.Version}, wantCode: http.StatusOK},
		"other group": {info: genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: "maintenance.medik8s.io", APIVersion: "v1beta1"}, wantCode: http.StatusOK},
		"no request":  {wantCode: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			crds := &cluster{err: test.err}
			groups := legacyGroups{oldVersion: {version: oldVersion, crds: crds, clock: clocktesting.NewFakeClock(time.Now())}}
			answer := request(t, groups, test.info)
			if answer.Code != test.wantCode {
				t.Errorf("got %d, want %d: %s", answer.Code, test.wantCode, answer.Body)
			}
			for _, part := range test.want {
				if !strings.Contains(answer.Body.String(), part) {
					t.Errorf("want %q in %s", part, answer.Body)
				}
			}
			if test.info.Resource == "" && len(crds.asked) > 0 {
				t.Errorf("the cluster was asked for %q", crds.asked)
			}
		})
	}
}

// The operator's objects cannot be imported, and nothing says that they can.
func TestCRDOfMachineMaintenances(t *testing.T) {
	const name = "machinemaintenances.machinemaintenance.managed.openshift.io"
	crds := &cluster{}
	crd := &installedCRD{version: managedv1alpha1.SchemeGroupVersion, crds: crds, clock: clocktesting.NewFakeClock(time.Now())}
	refusal := crd.check(t.Context())
	if !strings.Contains(refusal, "while the CRD "+name+" is installed: keep a copy") || strings.Contains(refusal, "import") || crds.asked[0] != name {
		t.Errorf("the cluster was asked for %q, and the refusal is %q", crds.asked, refusal)
	}
}

// The group is served once the CRD is gone, and refused again once it is back. The cluster is asked at most
// each ten seconds, and one answer that fails to come changes nothing.
func TestGroupFollowsItsCRD(t *testing.T) {
	crds, clock := &cluster{}, clocktesting.NewFakeClock(time.Now())
	crd := &installedCRD{version: oldVersion, crds: crds, clock: clock}
	for _, step := range []struct {
		what      string
		err       error
		after     time.Duration
		wantServe bool
		wantAsked int
	}{
		{what: "CRD is installed", wantAsked: 1},
		{what: "CRD is gone, a moment later", err: missing, after: crdCheckInterval - time.Second, wantAsked: 1},
		{what: "CRD is gone", err: missing, after: time.Second, wantServe: true, wantAsked: 2},
		{what: "no answer", err: errors.New("no route to host"), after: crdCheckInterval, wantServe: true, wantAsked: 3},
		{what: "CRD is back", after: crdCheckInterval, wantAsked: 4},
		{what: "no answer again", err: errors.New("no route to host"), after: crdCheckInterval, wantAsked: 5},
		{what: "no right", err: forbidden, after: crdCheckInterval, wantAsked: 6},
		{what: "CRD is gone again", err: missing, after: crdCheckInterval, wantServe: true, wantAsked: 7},
	} {
		clock.Step(step.after)
		crds.err = step.err
		if refusal := crd.check(t.Context()); (refusal == "") != step.wantServe {
			t.Errorf("%s: got refusal %q, want none: %t", step.what, refusal, step.wantServe)
		}
		if len(crds.asked) != step.wantAsked || crds.asked[0] != oldCRD {
			t.Errorf("%s: the cluster was asked for %q, want %d times for the CRD", step.what, crds.asked, step.wantAsked)
		}
	}
}

// hangingCluster does not answer before the question is given up. It tells of each question, and why it was given up.
type hangingCluster struct {
	metadata.Getter
	asked   chan struct{}
	givenUp chan error
}

func newHangingCluster() hangingCluster {
	return hangingCluster{asked: make(chan struct{}, 1), givenUp: make(chan error, 1)}
}

func (c hangingCluster) Get(ctx context.Context, _ string, _ metav1.GetOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	c.asked <- struct{}{}
	<-ctx.Done()
	c.givenUp <- ctx.Err()
	return nil, ctx.Err()
}

// A server that stops right after its start does not wait for a cluster that does not answer. The start gives
// no answer then.
func TestCheckAtStartEndsWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := newHangingCluster()
		crd := &installedCRD{crds: hanging, clock: clocktesting.NewFakeClock(time.Now())}
		ctx, stop := context.WithCancel(t.Context())
		ended := checkAll(ctx, crd)
		<-hanging.asked
		stop()
		<-ended
		if err := <-hanging.givenUp; !errors.Is(err, context.Canceled) {
			t.Errorf("the question was given up with %v, want that the server's end does that", err)
		}
		if !crd.checked.IsZero() {
			t.Error("an answer that did not come is believed")
		}
	})
}

// The start does not wait for a request that asks.
func TestCheckAtStartBesideARequest(t *testing.T) {
	crd := &installedCRD{crds: newHangingCluster(), clock: clocktesting.NewFakeClock(time.Now())}
	crd.mu.Lock()
	defer crd.mu.Unlock()
	select {
	case <-checkAll(t.Context(), crd):
	case <-time.After(time.Minute):
		t.Fatal("the check does not end")
	}
	if !crd.checked.IsZero() {
		t.Error("an answer that did not come is believed")
	}
}

// checkAll has the server check at its start. What it returns is closed when that has ended.
func checkAll(ctx context.Context, crd *installedCRD) (ended <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		legacyGroups{oldVersion: crd}.checkAll(ctx)
	}()
	return done
}

func TestNoHandlerWithoutLegacyGroups(t *testing.T) {
	config := &genericapiserver.Config{}
	if groups := refuseInstalledGroups(config, LegacyConfig{}); len(groups) > 0 || config.BuildHandlerChainFunc != nil {
		t.Errorf("got groups %v, and a changed chain: %t", groups, config.BuildHandlerChainFunc != nil)
	}
}
