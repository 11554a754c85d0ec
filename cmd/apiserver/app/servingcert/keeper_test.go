// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func TestReplicasShareOneCA(t *testing.T) {
	c := newCluster(t, apiService(ownName), apiService(furtherName))
	first, second := c.keeper(1), c.keeper(2)
	raced := false
	// The second one creates the Secret between the read of the first one and its create.
	c.before = func(replica int, action clienttesting.Action) error {
		if replica == 1 && action.GetVerb() == "create" && !raced {
			raced = true
			if err := second.Prepare(t.Context()); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	if err := first.Prepare(t.Context()); err != nil || !raced {
		t.Fatalf("Prepare: %v, raced: %t", err, raced)
	}
	if !first.serving.current().ca.Equal(second.serving.current().ca) {
		t.Error("the replicas have different CAs")
	}
	if bytes.Equal(first.serving.current().cert, second.serving.current().cert) {
		t.Error("the replicas share a serving certificate")
	}
	c.wantTrusted(first, second)
	c.wantBundle(first.serving.current().ca)
	c.writes = nil
	c.settle(first, second)
	if len(c.writes) > 0 {
		t.Errorf("replicas that have nothing to do write: %s", c.writes)
	}
}

func TestServingCertificateIsRenewed(t *testing.T) {
	c := newCluster(t, apiService(ownName), apiService(furtherName))
	k := c.prepared(1)
	first := k.serving.current()
	c.clock.SetTime(dueAt(first.leaf).Add(-time.Minute))
	if next, err := k.sync(t.Context()); err != nil || !next.Equal(dueAt(first.leaf)) || k.serving.current() != first {
		t.Errorf("before it is due: next look at %s (%v), want %s and the same certificate", next, err, dueAt(first.leaf))
	}
	c.clock.SetTime(dueAt(first.leaf))
	listener := &counter{}
	k.Content().AddListener(listener)
	c.settle(k)
	if second := k.serving.current(); second == first || !second.ca.Equal(first.ca) {
		t.Error("the certificate was not renewed with the same CA")
	}
	if listener.count != 1 {
		t.Errorf("the library was told %d times, want once", listener.count)
	}
	wantMetric(t, certificateEnd, k.serving.current().leaf.NotAfter)
	wantMetric(t, authorityEnd, first.ca.NotAfter)
	c.wantTrusted(k)
}

func wantMetric(t *testing.T, gauge *metrics.Gauge, want time.Time) {
	t.Helper()
	if got, err := testutil.GetGaugeMetricValue(gauge); err != nil || int64(got) != want.Unix() {
		t.Errorf("%s is %f (%v), want %d", gauge.Name, got, err, want.Unix())
	}
}

type counter struct{ count int }

func (c *counter) Enqueue() { c.count++ }

// TestRotation replaces the CA in all ways, step by step, with two replicas of which only one acts at first.
func TestRotation(t *testing.T) {
	for name, begin := range map[string]func(c *cluster, keepers ...*Keeper){
		"before it ends": func(c *cluster, keepers ...*Keeper) {
			c.clock.SetTime(dueAt(c.state().current.cert).Add(-time.Hour))
			c.settle(keepers...)
			c.clock.Step(time.Hour)
		},
		"by hand":       func(c *cluster, _ ...*Keeper) { c.secret.Data[corev1.TLSPrivateKeyKey] = nil },
		"after garbage": func(c *cluster, _ ...*Keeper) { c.secret.Data[corev1.TLSCertKey] = []byte("garbage") },
		"other key":     func(c *cluster, _ ...*Keeper) { c.secret.Data[corev1.TLSPrivateKeyKey] = otherKey(c.t) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(ownName), apiService(furtherName))
			busy, idle := c.prepared(1), c.prepared(2)
			old := busy.serving.current().ca
			begin(c, busy, idle)

			c.settle(busy)
			next := c.state().next
			if next == nil || next.cert.Equal(old) {
				t.Fatal("there is no next CA")
			}
			c.wantTrusted(busy, idle)
			c.clock.Step(settleTime - time.Second)
			c.settle(busy, idle)
			if c.state().next == nil || !busy.serving.current().ca.Equal(old) {
				t.Fatal("the next CA signs before an aggregator that lags can know it")
			}

			c.clock.Step(settleTime)
			c.settle(busy)
			if !busy.serving.current().ca.Equal(next.cert) || c.state().next != nil || c.secret.Data[nextKeyKey] != nil {
				t.Fatal("the next CA does not sign, or is still the next")
			}
			c.wantTrusted(busy, idle)
			c.wantBundle(next.cert, old)
			c.settle(idle)
			if !idle.serving.current().ca.Equal(next.cert) {
				t.Error("the other replica does not follow")
			}

			c.clock.Step(servingLifetime)
			c.settle(busy, idle)
			c.wantBundle(next.cert, old)
			c.clock.Step(clockSkew)
			c.settle(busy, idle)
			c.wantBundle(next.cert)
			c.wantTrusted(busy, idle)
		})
	}
}

func otherKey(t *testing.T) []byte {
	t.Helper()
	other, err := newAuthority(serverName, began)
	if err != nil {
		t.Fatal(err)
	}
	return other.keyPEM
}

// TestBundleChangesWhileItSettles has the time begin anew when somebody takes the next CA out of a caBundle.
func TestBundleChangesWhileItSettles(t *testing.T) {
	c := newCluster(t, apiService(ownName), apiService(furtherName))
	k := c.prepared(1)
	c.secret.Data[corev1.TLSPrivateKeyKey] = nil
	c.settle(k)
	c.clock.Step(settleTime - time.Second)
	c.setBundle(furtherName, nil)
	c.settle(k)
	c.clock.Step(settleTime - time.Second)
	c.settle(k)
	if c.state().next == nil {
		t.Error("the next CA signs too soon after it came back into the caBundle")
	}
	c.clock.Step(time.Second)
	c.settle(k)
	if c.state().next != nil {
		t.Error("the next CA does not sign")
	}
}

// TestDamage is what becomes of the old CA when somebody deletes or damages the Secret.
func TestDamage(t *testing.T) {
	for name, tc := range map[string]struct {
		damage func(c *cluster)
		// wantOld says whether the old CA is still trusted.
		wantOld bool
		// wantSigns says whether it still signs.
		wantSigns bool
	}{
		"the Secret is deleted":  {damage: func(c *cluster) { c.secret = nil }},
		"the old CA is removed":  {damage: removeCA},
		"everything is garbage":  {damage: garble, wantOld: true},
		"everything is empty":    {damage: func(c *cluster) { c.secret.Data = nil }, wantOld: true},
		"the bundle is garbage":  {damage: func(c *cluster) { c.secret.Data[bundleKey] = []byte("x") }, wantOld: true, wantSigns: true},
		"the time is garbage":    {damage: func(c *cluster) { c.secret.Annotations[sinceAnnotation] = "x" }, wantOld: true, wantSigns: true},
		"a next CA that is none": {damage: func(c *cluster) { c.secret.Data[nextCertKey] = []byte("x") }, wantOld: true, wantSigns: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(ownName), apiService(furtherName))
			k, other := c.prepared(1), c.prepared(2)
			old := k.serving.current().ca
			tc.damage(c)
			c.settle(k, other)
			s := c.state()
			if trusted := s.trusts(old); trusted != tc.wantOld {
				t.Errorf("the old CA is trusted: %t, want %t", trusted, tc.wantOld)
			}
			if signs := s.current != nil && s.current.cert.Equal(old); signs != tc.wantSigns {
				t.Errorf("the old CA signs: %t, want %t", signs, tc.wantSigns)
			}
			c.wantTrusted(k, other)
			c.clock.Step(settleTime)
			c.settle(k, other)
			if s := c.state(); s.current == nil || s.next != nil {
				t.Errorf("the Secret is not in order: %v", s.damage)
			}
			c.wantTrusted(k, other)
		})
	}
}

// removeCA takes the old CA out of the Secret, as an admin does who no longer trusts it.
func removeCA(c *cluster) {
	other, err := newAuthority(serverName, c.clock.Now())
	if err != nil {
		c.t.Fatal(err)
	}
	c.secret.Data[corev1.TLSCertKey], c.secret.Data[corev1.TLSPrivateKeyKey], c.secret.Data[bundleKey] = other.certPEM, other.keyPEM, other.certPEM
}

func garble(c *cluster) {
	for key := range c.secret.Data {
		c.secret.Data[key] = []byte("garbage")
	}
}

// TestStartWithoutUsableCA has the only replica start when the Secret is damaged.
func TestStartWithoutUsableCA(t *testing.T) {
	for name, damage := range map[string]func(c *cluster){
		"garbage":     garble,
		"key removed": func(c *cluster) { c.secret.Data[corev1.TLSPrivateKeyKey] = nil },
		"other name": func(c *cluster) {
			other, err := newAuthority("other.svc", c.clock.Now())
			if err != nil {
				c.t.Fatal(err)
			}
			c.secret.Data[corev1.TLSCertKey], c.secret.Data[corev1.TLSPrivateKeyKey] = other.certPEM, other.keyPEM
		},
		"ended": func(c *cluster) { c.clock.Step(2 * authorityLifetime) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(ownName), apiService(furtherName))
			c.prepared(1)
			damage(c)
			c.wantTrusted(c.prepared(2))
		})
	}
}

// TestOtherAPIServices says whose caBundle is not ours, and that this is said once.
func TestOtherAPIServices(t *testing.T) {
	annotated := func(annotation string) *apiregistrationv1.APIService {
		a := apiService(furtherName)
		a.Annotations = map[string]string{annotation: "a/b"}
		return a
	}
	pointing := func(service *apiregistrationv1.ServiceReference) *apiregistrationv1.APIService {
		return &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: furtherName}, Spec: apiregistrationv1.APIServiceSpec{Service: service}}
	}
	skipping := apiService(furtherName)
	skipping.Spec.InsecureSkipTLSVerify = true
	for name, tc := range map[string]struct {
		further *apiregistrationv1.APIService
		want    string
	}{
		"none":                 {want: missing},
		"of a CRD":             {further: pointing(nil), want: foreign},
		"of another server":    {further: pointing(&apiregistrationv1.ServiceReference{Namespace: service.Namespace, Name: "other"}), want: foreign},
		"of another namespace": {further: pointing(&apiregistrationv1.ServiceReference{Namespace: "other", Name: service.Name}), want: foreign},
		"trusts anybody":       {further: skipping, want: trusting},
		"cert-manager":         {further: annotated("cert-manager.io/inject-ca-from"), want: injected},
		"cert-manager, Secret": {further: annotated("cert-manager.io/inject-ca-from-secret"), want: injected},
		"OpenShift":            {further: annotated("service.beta.openshift.io/inject-cabundle"), want: injected},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(ownName))
			if tc.further != nil {
				c.put(tc.further)
			}
			logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
			ctx := klog.NewContext(t.Context(), logger)
			k := c.keeper(1)
			for range 3 {
				if _, err := k.sync(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if tc.further != nil && len(c.apiServices[furtherName].Spec.CABundle) > 0 {
				t.Error("the CA was published to it")
			}
			if len(c.bundle()) == 0 {
				t.Error("the CA was not published to the server's own")
			}
			log := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
			if strings.Count(log, tc.want) != 1 {
				t.Errorf("want one line with %q in\n%s", tc.want, log)
			}
			// As soon as it is ours, it has the CA.
			c.put(apiService(furtherName))
			c.settle(k)
			c.wantTrusted(k)
		})
	}
}

// TestSomebodyElseSetsTheBundle has cert-manager copy our bundle: the next CA waits until it has.
func TestSomebodyElseSetsTheBundle(t *testing.T) {
	for name, tc := range map[string]struct {
		copies, later, byHand bool
	}{
		"with our CAs, and follows": {copies: true, later: true},
		"with our first CA only":    {copies: true},
		"the same by hand":          {copies: true, byHand: true},
		"with another CA":           {},
	} {
		t.Run(name, func(t *testing.T) {
			further := apiService(furtherName)
			further.Annotations = map[string]string{"cert-manager.io/inject-ca-from-secret": "maintenance-system/maintenance-apiserver-ca"}
			c := newCluster(t, apiService(ownName), further)
			k := c.prepared(1)
			if tc.copies {
				c.setBundle(furtherName, c.secret.Data[bundleKey])
			}
			if tc.byHand {
				c.secret.Data[corev1.TLSPrivateKeyKey] = nil
			} else {
				c.clock.SetTime(dueAt(c.state().current.cert))
			}
			c.settle(k)
			if tc.later {
				c.setBundle(furtherName, c.secret.Data[bundleKey])
				c.settle(k)
			}
			c.clock.Step(settleTime)
			c.settle(k)
			wantSwitch := tc.later || !tc.copies
			if switched := c.state().next == nil; switched != wantSwitch {
				t.Errorf("the next CA signs: %t, want %t", switched, wantSwitch)
			}
		})
	}
}

// TestLaggingReplicaDoesNotUndo has one replica write both APIServices while another one is between its read of an
// APIService and its write.
func TestLaggingReplicaDoesNotUndo(t *testing.T) {
	c := newCluster(t, apiService(ownName), apiService(furtherName))
	fast, slow := c.prepared(1), c.prepared(2)
	c.setBundle(ownName, nil)
	old := fast.serving.current().ca
	overtaken := false
	c.before = func(replica int, action clienttesting.Action) error {
		if replica == 2 && action.GetVerb() == "patch" && !overtaken {
			overtaken = true
			c.secret.Data[corev1.TLSPrivateKeyKey] = nil
			c.settle(fast)
		}
		return nil
	}
	if _, err := slow.sync(t.Context()); !apierrors.IsConflict(err) || !overtaken {
		t.Errorf("the replica that was overtaken got %v, want a conflict", err)
	}
	c.wantBundle(c.state().next.cert, old)
}

// TestErrorsOfPrepare are for admins.
func TestErrorsOfPrepare(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, tc := range map[string]struct {
		verb string
		err  error
		want []string
	}{
		"may not read":   {verb: "get", err: apierrors.NewForbidden(secrets, "maintenance-apiserver-ca", errors.New("no right")), want: []string{"could not get", "no right"}},
		"may not create": {verb: "create", err: apierrors.NewForbidden(secrets, "", errors.New("no right")), want: []string{"could not create", "no right"}},
		"no namespace":   {verb: "create", err: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "maintenance-system"), want: []string{`namespaces "maintenance-system" not found`}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiService(ownName))
			c.before = func(_ int, action clienttesting.Action) error {
				if action.GetVerb() == tc.verb && action.GetResource().Resource == "secrets" {
					return tc.err
				}
				return nil
			}
			err := c.keeper(1).Prepare(t.Context())
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want an error of one line", err)
			}
			for _, want := range append(tc.want, "apply the manifests", "--tls-cert-file") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in %v", want, err)
				}
			}
			if apierrors.IsForbidden(err) != apierrors.IsForbidden(tc.err) {
				t.Errorf("it cannot be told that %v was refused", err)
			}
		})
	}
}

// TestStartWithoutRightToPublish serves all the same: the right may come later.
func TestStartWithoutRightToPublish(t *testing.T) {
	c := newCluster(t, apiService(ownName))
	c.before = func(_ int, action clienttesting.Action) error {
		if action.GetVerb() == "patch" {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "apiservices"}, ownName, errors.New("no right"))
		}
		return nil
	}
	k := c.prepared(1)
	if cert, key := k.Content().CurrentCertKeyContent(); len(cert) == 0 || len(key) == 0 {
		t.Error("there is no serving certificate")
	}
	if _, err := k.sync(t.Context()); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want that it is forbidden", err)
	}
}
