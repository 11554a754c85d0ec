// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"context"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
	clocktesting "k8s.io/utils/clock/testing"
)

const apiServiceName = "v1beta1.maintenance.medik8s.io"

var names = []string{"maintenance-apiserver.maintenance-system.svc", "localhost"}

func TestEnsure(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange  func(t *testing.T, dir string)
		names    []string
		after    time.Duration
		wantSame bool
	}{
		"a second start keeps the pair": {names: names, wantSame: true},
		"other names need another pair": {names: append([]string{"other.svc"}, names...)},
		"an old pair is replaced":       {names: names, after: lifetime - renewBefore + time.Hour},
		"a torn write is replaced": {
			arrange: func(t *testing.T, dir string) {
				other := mustPair(t)
				if err := os.WriteFile(filepath.Join(dir, keyFile), other.key, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			names: names,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tls")
			now := time.Now()
			before := mustEnsure(t, Files{Dir: dir, Names: names}, now)
			if tc.arrange != nil {
				tc.arrange(t, dir)
			}
			after := mustEnsure(t, Files{Dir: dir, Names: tc.names}, now.Add(tc.after))
			if same := bytes.Equal(before.cert, after.cert); same != tc.wantSame {
				t.Errorf("certificate kept: %v, want %v", same, tc.wantSame)
			}
		})
	}
}

func TestCertificateVerifiesAgainstPublishedBundle(t *testing.T) {
	publisher, bundleOf := newPublisher(t, time.Now())
	mustSync(t, publisher)

	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundleOf()) {
		t.Fatal("the caBundle holds no certificate")
	}
	pair, err := readPair(publisher.Files.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := pair.leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("certificate does not verify for %s: %v", name, err)
		}
	}
}

func TestRenewalPublishesBothBundlesFirst(t *testing.T) {
	publisher, bundleOf := newPublisher(t, time.Now())
	old, err := readPair(publisher.Files.Dir)
	if err != nil {
		t.Fatal(err)
	}
	publisher.Clock = clocktesting.NewFakeClock(old.leaf.NotAfter.Add(-renewBefore + time.Hour))

	mustSync(t, publisher)
	renewed, err := readPair(publisher.Files.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(renewed.cert, old.cert) {
		t.Fatal("certificate was not renewed")
	}
	if want, _ := bundle(old, renewed); !bytes.Equal(bundleOf(), want) {
		t.Error("caBundle does not hold the old CA and the new one while the server changes over")
	}

	publisher.Clock = clocktesting.NewFakeClock(time.Now())
	mustSync(t, publisher)
	if want, _ := bundle(renewed); !bytes.Equal(bundleOf(), want) {
		t.Error("caBundle does not hold the new CA alone after the change")
	}
}

func TestPublisherWaitsForAPIService(t *testing.T) {
	publisher, _ := newPublisher(t, time.Now())
	publisher.APIServiceName = "missing"
	if err := publisher.sync(t.Context()); err == nil {
		t.Error("sync without an APIService succeeded")
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		publisher.Run(ctx)
		close(done)
	}()
	cancel()
	<-done
}

// The CA reaches every APIService of ours. None of the others keeps the certificate from being renewed.
func TestFurtherAPIServices(t *testing.T) {
	publisher, bundleOf := newPublisher(t, time.Now())
	for name, service := range map[string]*apiregistrationv1.ServiceReference{
		"ours": ownService, "of-a-crd": nil, "of-another-server": {Namespace: ownService.Namespace, Name: "other"},
		"of-another-namespace": {Namespace: "other", Name: ownService.Name},
	} {
		further := &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: apiregistrationv1.APIServiceSpec{Service: service}}
		if _, err := publisher.APIServices.Create(t.Context(), further, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	bundleIn := func(name string) []byte {
		apiService, err := publisher.APIServices.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return apiService.Spec.CABundle
	}
	publisher.Further = []string{"missing", "of-a-crd", "of-another-server", "of-another-namespace", "ours"}
	wantBundles := func() {
		t.Helper()
		mustSync(t, publisher)
		if !bytes.Equal(bundleIn("ours"), bundleOf()) || len(bundleOf()) == 0 {
			t.Error("the CA is not published to both our APIServices")
		}
		for _, name := range []string{"of-a-crd", "of-another-server", "of-another-namespace"} {
			if len(bundleIn(name)) > 0 {
				t.Errorf("the CA is published to the APIService %s", name)
			}
		}
	}
	wantBundles()
	old, err := readPair(publisher.Files.Dir)
	if err != nil {
		t.Fatal(err)
	}
	publisher.Clock = clocktesting.NewFakeClock(old.leaf.NotAfter.Add(-renewBefore + time.Hour))
	wantBundles()
	if renewed, err := readPair(publisher.Files.Dir); err != nil || renewed.leaf.Equal(old.leaf) {
		t.Errorf("the certificate was not renewed: %v", err)
	}
}

// An APIService that is missing is looked for again soon, and spoken of once.
func TestMissingFurtherAPIService(t *testing.T) {
	publisher, bundleOf := newPublisher(t, time.Now())
	clock := clocktesting.NewFakeClock(time.Now())
	publisher.Clock, publisher.Further = clock, []string{"late"}
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logger))
	done := make(chan struct{})
	go func() {
		defer close(done)
		publisher.Run(ctx)
	}()
	for range 2 {
		eventually(t, "the publisher waits for its next check", clock.HasWaiters)
		clock.Step(retryInterval)
	}
	eventually(t, "the publisher waits for its next check", clock.HasWaiters)
	late := &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: "late"}, Spec: apiregistrationv1.APIServiceSpec{Service: ownService}}
	if _, err := publisher.APIServices.Create(ctx, late, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	clock.Step(retryInterval)
	eventually(t, "the CA is published", func() bool {
		apiService, err := publisher.APIServices.Get(ctx, "late", metav1.GetOptions{})
		return err == nil && bytes.Equal(apiService.Spec.CABundle, bundleOf())
	})
	cancel()
	<-done
	log := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
	if strings.Count(log, missing) != 1 || strings.Contains(log, "ERROR") {
		t.Errorf("want one line that an APIService is missing, and no error:\n%s", log)
	}
}

func TestReplacedBundleIsRestored(t *testing.T) {
	publisher, bundleOf := newPublisher(t, time.Now())
	clock := clocktesting.NewFakeClock(time.Now())
	publisher.Clock = clock
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		publisher.Run(ctx)
	}()
	defer func() {
		cancel()
		<-done
	}()

	eventually(t, "the publisher waits for its next check", clock.HasWaiters)
	want := bundleOf()
	patch := []byte(`{"spec":{"caBundle":"c3RyYW5nZXI="}}`)
	if _, err := publisher.APIServices.Patch(ctx, apiServiceName, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	clock.Step(checkInterval)
	eventually(t, "the caBundle is restored", func() bool { return bytes.Equal(bundleOf(), want) })
}

// ownService is the Service of the server.
var ownService = &apiregistrationv1.ServiceReference{Namespace: "a", Name: "b"}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		return check(), nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func newPublisher(t *testing.T, now time.Time) (publisher *Publisher, bundleOf func() []byte) {
	t.Helper()
	files := Files{Dir: t.TempDir(), Names: names}
	mustEnsure(t, files, now)
	apiServices := fake.NewSimpleClientset(&apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: apiServiceName}, Spec: apiregistrationv1.APIServiceSpec{Service: ownService},
	}).ApiregistrationV1().APIServices()
	bundleOf = func() []byte {
		apiService, err := apiServices.Get(t.Context(), apiServiceName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return apiService.Spec.CABundle
	}
	return &Publisher{
		Files:          files,
		APIServices:    apiServices,
		APIServiceName: apiServiceName,
		Clock:          clocktesting.NewFakeClock(now),
	}, bundleOf
}

func mustEnsure(t *testing.T, files Files, now time.Time) *Pair {
	t.Helper()
	if err := files.Ensure(now); err != nil {
		t.Fatalf("Ensure: %v", err)
	}
	pair, err := readPair(files.Dir)
	if err != nil {
		t.Fatalf("no usable pair after Ensure: %v", err)
	}
	return pair
}

func mustPair(t *testing.T) *Pair {
	t.Helper()
	pair, err := newPair(names)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func mustSync(t *testing.T, publisher *Publisher) {
	t.Helper()
	if err := publisher.sync(t.Context()); err != nil {
		t.Fatalf("sync: %v", err)
	}
}
