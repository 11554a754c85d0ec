// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"
)

func (k *Keeper) secretName() string { return k.config.Service.Name + "-ca" }

func (k *Keeper) secrets() corev1client.SecretInterface {
	return k.config.Kube.CoreV1().Secrets(k.config.Service.Namespace)
}

// keepSecret reads the Secret, takes the next step if one is due, and returns what the Secret says then. Of several
// replicas that do so at a time, the first one wins; to the others, the error is a conflict.
func (k *Keeper) keepSecret(ctx context.Context, factsOf func(state) facts) (state, error) {
	secret, err := k.secrets().Get(ctx, k.secretName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return k.createSecret(ctx, factsOf(state{}))
	}
	if err != nil {
		return state{}, fmt.Errorf("could not get the CA of the serving certificate: %w", err)
	}
	s := decode(secret, k.config.Name, k.config.Clock.Now())
	next, change, err := s.advance(factsOf(s))
	if err != nil {
		return state{}, err
	}
	return next, k.updateSecret(ctx, secret, next, change)
}

func (k *Keeper) createSecret(ctx context.Context, f facts) (state, error) {
	first, err := firstState(f)
	if err != nil {
		return state{}, err
	}
	secret := &corev1.Secret{Type: corev1.SecretTypeTLS, ObjectMeta: metav1.ObjectMeta{
		Name: k.secretName(), Labels: map[string]string{"app.kubernetes.io/name": "maintenance-apiserver"},
	}}
	first.encode(secret)
	k.wrote = true
	_, err = k.secrets().Create(ctx, secret, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return state{}, apierrors.NewConflict(corev1.Resource("secrets"), secret.Name, err)
	}
	if err != nil {
		return state{}, fmt.Errorf("could not create a Secret for the CA of the serving certificate: %w", err)
	}
	klog.FromContext(ctx).Info("Made a CA for the serving certificate", "secret", klog.KRef(k.config.Service.Namespace, secret.Name))
	return first, nil
}

func (k *Keeper) updateSecret(ctx context.Context, read *corev1.Secret, next state, change string) error {
	secret := read.DeepCopy()
	next.encode(secret)
	if equality.Semantic.DeepEqual(read, secret) {
		return nil
	}
	k.wrote = true
	if _, err := k.secrets().Update(ctx, secret, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("could not update the CA of the serving certificate: %w", err)
	}
	if change == "" {
		change = "put in order which CAs are trusted"
	}
	klog.FromContext(ctx).Info("Changed the CA of the serving certificate", "secret", klog.KObj(secret), "change", change)
	return nil
}
