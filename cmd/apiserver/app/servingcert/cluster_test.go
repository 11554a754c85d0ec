// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
	clocktesting "k8s.io/utils/clock/testing"
)

const (
	ownName     = "v1beta1.maintenance.medik8s.io"
	furtherName = "v1beta1.nodemaintenance.medik8s.io"
	serverName  = "maintenance-apiserver.maintenance-system.svc"
)

var (
	service = types.NamespacedName{Namespace: "maintenance-system", Name: "maintenance-apiserver"}
	began   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// cluster is an API server that knows resource versions, which client-go's fakes do not check.
type cluster struct {
	t           *testing.T
	clock       *clocktesting.FakeClock
	version     int
	secret      *corev1.Secret // nil if there is none
	apiServices map[string]*apiregistrationv1.APIService
	// before is asked before each request; an error is its answer.
	before func(replica int, action clienttesting.Action) error
	// written is told of each APIService that was written.
	written func(name string)
	writes  []string
}

func newCluster(t *testing.T, apiServices ...*apiregistrationv1.APIService) *cluster {
	c := &cluster{
		t: t, clock: clocktesting.NewFakeClock(began), apiServices: map[string]*apiregistrationv1.APIService{},
		before:  func(int, clienttesting.Action) error { return nil },
		written: func(string) {},
	}
	for _, apiService := range apiServices {
		c.put(apiService)
	}
	return c
}

// apiService points to the server.
func apiService(name string) *apiregistrationv1.APIService {
	return &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: apiregistrationv1.APIServiceSpec{
			Service: &apiregistrationv1.ServiceReference{Namespace: service.Namespace, Name: service.Name},
		},
	}
}

// keeper returns the Keeper of a replica that has just started.
func (c *cluster) keeper(replica int) *Keeper {
	kube, apiServices := &kubefake.Clientset{}, &fake.Clientset{}
	kube.AddReactor("*", "secrets", c.react(replica, c.answerSecret))
	apiServices.AddReactor("*", "apiservices", c.react(replica, c.answerAPIService))
	return New(Config{
		Kube: kube, APIServices: apiServices, Service: service, Name: serverName, Clock: c.clock,
		APIServiceNames: []string{ownName, furtherName},
	})
}

func (c *cluster) react(replica int, answer func(clienttesting.Action) (runtime.Object, error)) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		if err := c.before(replica, action); err != nil {
			return true, nil, err
		}
		object, err := answer(action)
		if verb := action.GetVerb(); err == nil && verb != "get" {
			c.writes = append(c.writes, verb+" "+action.GetResource().Resource)
		}
		return true, object, err
	}
}

func (c *cluster) answerSecret(action clienttesting.Action) (runtime.Object, error) {
	resource := schema.GroupResource{Resource: "secrets"}
	switch action.GetVerb() {
	case "update":
		updated := action.(clienttesting.UpdateAction).GetObject().(*corev1.Secret)
		if c.secret == nil {
			return nil, apierrors.NewNotFound(resource, updated.Name)
		}
		if updated.ResourceVersion != c.secret.ResourceVersion {
			return nil, apierrors.NewConflict(resource, updated.Name, fmt.Errorf("it is at %s", c.secret.ResourceVersion))
		}
		c.putSecret(updated)
	case "create":
		created := action.(clienttesting.CreateAction).GetObject().(*corev1.Secret)
		if c.secret != nil {
			return nil, apierrors.NewAlreadyExists(resource, created.Name)
		}
		c.putSecret(created)
	}
	if c.secret == nil {
		return nil, apierrors.NewNotFound(resource, "maintenance-apiserver-ca")
	}
	return c.secret.DeepCopy(), nil
}

func (c *cluster) putSecret(secret *corev1.Secret) {
	c.secret = secret.DeepCopy()
	c.secret.ResourceVersion = c.nextVersion()
}

func (c *cluster) answerAPIService(action clienttesting.Action) (runtime.Object, error) {
	resource := schema.GroupResource{Resource: "apiservices"}
	name := action.(interface{ GetName() string }).GetName()
	found := c.apiServices[name]
	if found == nil {
		return nil, apierrors.NewNotFound(resource, name)
	}
	if patch, ok := action.(clienttesting.PatchAction); ok {
		var wanted struct {
			Metadata struct{ ResourceVersion string }
			Spec     struct{ CABundle []byte }
		}
		if err := json.Unmarshal(patch.GetPatch(), &wanted); err != nil {
			return nil, err
		}
		if wanted.Metadata.ResourceVersion != found.ResourceVersion {
			return nil, apierrors.NewConflict(resource, name, fmt.Errorf("it is at %s", found.ResourceVersion))
		}
		c.setBundle(name, wanted.Spec.CABundle)
	}
	return c.apiServices[name].DeepCopy(), nil
}

func (c *cluster) setBundle(name string, bundle []byte) {
	changed := c.apiServices[name].DeepCopy()
	changed.Spec.CABundle = bundle
	c.put(changed)
}

func (c *cluster) put(apiService *apiregistrationv1.APIService) {
	apiService.ResourceVersion = c.nextVersion()
	c.apiServices[apiService.Name] = apiService
	c.written(apiService.Name)
}

func (c *cluster) nextVersion() string {
	c.version++
	return strconv.Itoa(c.version)
}

// state is what the Secret says now.
func (c *cluster) state() state { return decode(c.secret, serverName, c.clock.Now()) }

// trusts says why an aggregator with that caBundle does not trust the server; nil if it does.
func (c *cluster) trusts(bundle []byte, k *Keeper) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	_, err := k.serving.current().leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: serverName, CurrentTime: c.clock.Now()})
	return err
}

func (c *cluster) wantTrusted(keepers ...*Keeper) {
	c.t.Helper()
	for name, apiService := range c.apiServices {
		for i, k := range keepers {
			if err := c.trusts(apiService.Spec.CABundle, k); err != nil {
				c.t.Errorf("APIService %s does not trust replica %d: %v", name, i, err)
			}
		}
	}
}

// settle has the replicas look at the cluster until none of them changes anything.
func (c *cluster) settle(keepers ...*Keeper) {
	c.t.Helper()
	for range 20 {
		before := c.version
		for _, k := range keepers {
			if _, err := k.sync(c.t.Context()); err != nil && !apierrors.IsConflict(err) {
				c.t.Fatalf("sync: %v", err)
			}
		}
		if c.version == before {
			return
		}
	}
	c.t.Fatalf("the replicas go on writing: %s", slices.Compact(c.writes))
}

// prepared is a replica that serves.
func (c *cluster) prepared(replica int) *Keeper {
	c.t.Helper()
	k := c.keeper(replica)
	if err := k.Prepare(c.t.Context()); err != nil {
		c.t.Fatalf("Prepare: %v", err)
	}
	return k
}

func (c *cluster) bundle() []byte { return c.apiServices[ownName].Spec.CABundle }

func (c *cluster) wantBundle(want ...*x509.Certificate) {
	c.t.Helper()
	if bundle := (state{trusted: want}).bundle(); !bytes.Equal(c.bundle(), bundle) {
		c.t.Errorf("the caBundle is\n%swant\n%s", c.bundle(), bundle)
	}
}
