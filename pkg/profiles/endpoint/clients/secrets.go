// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The keys of Secrets that are read.
const (
	keyURL           = "url"
	keyToken         = "token"
	keyUsername      = "username"
	keyPassword      = "password"
	keyHMAC          = "hmacKey"
	keyCloudProvider = "cloudprovider.conf"
)

const (
	// secretLasts is how long a Secret is used before it is read again.
	secretLasts = 30 * time.Second
	// secretTimeout is how long reading a Secret may take.
	secretTimeout = 5 * time.Second
)

// secrets reads Secrets, and remembers them for a while.
type secrets struct {
	config Config
	redact *redactor

	mu sync.Mutex
	// read are the Secrets as they were read last, by the endpoint, since each has an author of its own.
	read map[types.UID]readSecret
}

type readSecret struct {
	values map[string]string
	// generation is that of the endpoint.
	generation int64
	at         time.Time
}

// of returns the values of the Secret of an endpoint; none if it has no secretRef. If the Secret cannot be read for a
// while, it is as it was.
func (s *secrets) of(ctx context.Context, e *v1beta1.MaintenanceEndpoint) (map[string]string, error) {
	if e.Spec.SecretRef == nil {
		return nil, nil
	}
	if s.config.SecretNamespace == "" {
		return nil, unusable(e.Name, "it names a Secret, but the server was started without --secret-namespace")
	}
	known, found := s.known(e)
	if found && s.config.Clock.Since(known.at) < secretLasts {
		return known.values, nil
	}
	values, err := s.ask(ctx, e)
	if err != nil && found && !isGone(err) {
		return known.values, nil
	}
	return values, err
}

func (s *secrets) known(e *v1beta1.MaintenanceEndpoint) (readSecret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, found := s.read[e.UID]
	return known, found && known.generation == e.Generation
}

// ask reads a Secret from the API server, if the author of the endpoint may read it.
func (s *secrets) ask(ctx context.Context, e *v1beta1.MaintenanceEndpoint) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, secretTimeout)
	defer cancel()
	namespace, name := s.config.SecretNamespace, e.Spec.SecretRef.Name
	if err := s.config.Vouch(ctx, e); apierrors.IsForbidden(err) {
		s.forget(e)
		return nil, unusable(e.Name, "the Secret %s/%s is not read: %v", namespace, name, err)
	} else if err != nil {
		return nil, fmt.Errorf("could not find out whether the author of the endpoint %s may read its Secret: %w", e.Name, err)
	}
	secret, err := s.config.Kube.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		s.forget(e)
		return nil, unusable(e.Name, "the Secret %s/%s does not exist", namespace, name)
	case apierrors.IsForbidden(err):
		s.forget(e)
		return nil, unusable(e.Name, "the server may not get the Secret %s/%s", namespace, name)
	case err != nil:
		return nil, fmt.Errorf("could not read the Secret %s/%s of the endpoint %s", namespace, name, e.Name)
	}
	values := valuesOf(secret)
	s.redact.addSecret(values)
	existing, err := s.config.Endpoints.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("could not list the endpoints: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.read, func(uid types.UID, _ readSecret) bool {
		return !slices.ContainsFunc(existing, func(other *v1beta1.MaintenanceEndpoint) bool { return other.UID == uid })
	})
	s.read[e.UID] = readSecret{values: values, generation: e.Generation, at: s.config.Clock.Now()}
	return values, nil
}

func (s *secrets) forget(e *v1beta1.MaintenanceEndpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.read, e.UID)
}

func isGone(err error) bool { return safeOf(err) != nil }

// valuesOf returns the values that are read. A line break at the end is no part of them: editors add one.
func valuesOf(secret *corev1.Secret) map[string]string {
	values := map[string]string{}
	for _, key := range []string{keyURL, keyToken, keyUsername, keyPassword, keyHMAC, keyCloudProvider} {
		if value := strings.TrimRight(string(secret.Data[key]), "\r\n"); value != "" {
			values[key] = value
		}
	}
	return values
}

// need fails if the Secret of an endpoint lacks one of the keys.
func need(e *v1beta1.MaintenanceEndpoint, values map[string]string, keys ...string) error {
	if e.Spec.SecretRef == nil {
		return unusable(e.Name, "it needs a secretRef: a Secret with the key %s", strings.Join(keys, " and the key "))
	}
	have := slices.Collect(maps.Keys(values))
	for _, key := range keys {
		if !slices.Contains(have, key) {
			return unusable(e.Name, "the Secret %s lacks the key %s", e.Spec.SecretRef.Name, key)
		}
	}
	return nil
}
