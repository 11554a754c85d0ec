// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestRunSeesChanges changes things while a replica runs. Nothing but the watches can tell it in time.
func TestRunSeesChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := kubefake.NewClientset()
		apiServices := fake.NewSimpleClientset(apiService(ownName))
		k := New(Config{
			Kube: kube, APIServices: apiServices, Service: service, Name: serverName, Clock: clock.RealClock{},
			APIServiceNames: []string{ownName, furtherName},
		})
		if err := k.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		go k.Run(t.Context())
		secrets, registrations := kube.CoreV1().Secrets(service.Namespace), apiServices.ApiregistrationV1().APIServices()
		inOrder := func() bool {
			secret, err := secrets.Get(t.Context(), k.secretName(), metav1.GetOptions{})
			if err != nil {
				return false
			}
			want := secret.Data[bundleKey]
			for _, name := range []string{ownName, furtherName} {
				found, err := registrations.Get(t.Context(), name, metav1.GetOptions{})
				if !apierrors.IsNotFound(err) && (err != nil || !bytes.Equal(found.Spec.CABundle, want)) {
					return false
				}
			}
			return bytes.Contains(want, encodePEM(k.serving.current().ca.Raw))
		}
		for _, tc := range []struct {
			name   string
			change func() error
		}{
			{"an APIService is changed", func() error {
				_, err := registrations.Patch(t.Context(), ownName, types.MergePatchType, []byte(`{"spec":{"caBundle":"c3RyYW5nZXI="}}`), metav1.PatchOptions{})
				return err
			}},
			{"an APIService is created", func() error {
				_, err := registrations.Create(t.Context(), apiService(furtherName), metav1.CreateOptions{})
				return err
			}},
			{"the Secret is deleted", func() error { return secrets.Delete(t.Context(), k.secretName(), metav1.DeleteOptions{}) }},
		} {
			time.Sleep(2 * settleTime) // the replica has handled what was before, so that only the change can wake it
			if err := tc.change(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(longestOutage)
			if !inOrder() {
				t.Errorf("%s: the replica does not put it in order", tc.name)
			}
		}
	})
}

// TestPauses has somebody else change the caBundle again at once, each time, for an hour.
func TestPauses(t *testing.T) {
	for name, test := range map[string]struct {
		outage bool
		want   time.Duration
	}{
		"still trusted": {want: longestPause},
		"not trusted":   {outage: true, want: longestOutage},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(began)
			p := pauses{clock: clock}
			writes, longest := 0, time.Duration(0)
			for clock.Since(began) < time.Hour {
				pause := p.after(true, test.outage)
				clock.SetTime(clock.Now().Add(pause))
				writes, longest = writes+1, max(longest, pause)
			}
			if most := int(time.Hour/test.want) + 20; writes > most {
				t.Errorf("%d writes within an hour, want about one in %s", writes, test.want)
			}
			if longest > test.want+test.want/10 {
				t.Errorf("the longest pause is %s, want %s", longest, test.want)
			}
			if pause := p.after(false, false); pause != shortestPause {
				t.Errorf("the pause after a look that changed nothing is %s, want %s", pause, shortestPause)
			}
			clock.SetTime(clock.Now().Add(calm + time.Second))
			if pause := p.after(true, test.outage); pause > 2*shortestPause {
				t.Errorf("the pause is %s after a calm time, want a short one", pause)
			}
		})
	}
}

// TestUntrusted has the caBundle changed to what the aggregator trusts this server by, and to what it does not.
func TestUntrusted(t *testing.T) {
	k := New(Config{
		Kube: kubefake.NewClientset(), APIServices: fake.NewSimpleClientset(apiService(ownName)), Service: service,
		Name: serverName, Clock: clock.RealClock{}, APIServiceNames: []string{ownName},
	})
	if err := k.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	other, err := newAuthority(serverName, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	own := encodePEM(k.serving.current().ca.Raw)
	for name, test := range map[string]struct {
		bundle []byte
		want   bool
	}{
		"empty":               {want: true},
		"not a certificate":   {bundle: []byte("stranger"), want: true},
		"another CA":          {bundle: other.certPEM, want: true},
		"another CA and ours": {bundle: append(bytes.Clone(other.certPEM), own...)},
	} {
		t.Run(name, func(t *testing.T) {
			changed := apiService(ownName)
			changed.Spec.CABundle = test.bundle
			registrations := k.config.APIServices.ApiregistrationV1().APIServices()
			if _, err := registrations.Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := k.sync(t.Context()); err != nil || !k.wrote || k.untrusted != test.want {
				t.Errorf("got %v, wrote %t, untrusted %t, want untrusted %t", err, k.wrote, k.untrusted, test.want)
			}
			if _, err := k.sync(t.Context()); err != nil || k.untrusted {
				t.Errorf("got %v, untrusted %t after the repair", err, k.untrusted)
			}
		})
	}
}
