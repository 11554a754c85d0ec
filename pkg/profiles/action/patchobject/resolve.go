// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package patchobject

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// Resolver evaluates the expressions of patchObjects. The engine asks it while it makes the record of a transition.
type Resolver struct {
	objects dynamic.Interface
}

// NewResolver returns a Resolver. It reads objects with the server's own rights.
func NewResolver(objects dynamic.Interface) *Resolver { return &Resolver{objects: objects} }

// Resolve writes the values of the expressions into a step that is to be recorded: the name of the object, and the patch
// as JSON, for the object as it is now and no other one of the name. Steps of other kinds stay as they are. The error says
// in a sentence why there are no values.
func (r *Resolver) Resolve(ctx context.Context, step *v1beta1.TransitionStep, node *corev1.Node) error {
	if step.Trigger.PatchObject == nil {
		return nil
	}
	object, patch, err := r.evaluate(ctx, step.Trigger.PatchObject, node)
	if err != nil {
		return err
	}
	step.Object, step.Patch = object, patch
	return nil
}

func (r *Resolver) evaluate(ctx context.Context, spec *v1beta1.PatchObjectTrigger, node *corev1.Node) (object, patch string, err error) {
	if node == nil {
		return "", "", errors.New("the node does not exist")
	}
	resource, err := resourceOf(r.objects, spec)
	if err != nil {
		return "", "", err
	}
	value, err := expression.NodeValue(node)
	if err != nil {
		return "", "", err
	}
	in := expression.Input{Node: value}
	name, err := evaluate(ctx, expression.Name, spec.NameExpression, in)
	if err != nil {
		return "", "", fmt.Errorf("nameExpression: %w", err)
	}
	found, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", "", fmt.Errorf("could not get %s: %w", say(spec, name), err)
	}
	in.Object = found.Object
	made, err := evaluate(ctx, expression.Patch, spec.PatchExpression, in)
	if err != nil {
		return "", "", fmt.Errorf("patchExpression: %w", err)
	}
	patch, err = record(made, found.GetUID())
	return name, patch, err
}

func evaluate[T expression.Value](ctx context.Context, in *expression.Environment[T], source string, values expression.Input) (T, error) {
	program, err := in.Compile(source)
	if err != nil {
		var none T
		return none, err
	}
	return program.Evaluate(ctx, values)
}
