// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package patchobject is the trigger patchObject: it changes another object of the cluster. Resolver says which object, and
// how, when a transition is recorded; Trigger does what was recorded. To do it again changes nothing more.
package patchobject

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Trigger is the trigger patchObject.
type Trigger struct {
	objects dynamic.Interface
}

var _ action.Trigger = (*Trigger)(nil)

// New returns the trigger. It patches objects with the server's own rights.
func New(objects dynamic.Interface) *Trigger { return &Trigger{objects: objects} }

// Do patches the object.
func (t *Trigger) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	spec, name := step.Recorded.Trigger.PatchObject, step.Recorded.Object
	said := say(spec, name)
	if name == "" || step.Recorded.Patch == "" {
		return action.Failed("which of the %s is to be patched, and how, was not recorded", spec.Resource), nil
	}
	recorded, err := decode(step.Recorded.Patch)
	if err != nil {
		return action.Failed("%s is not patched: %v", said, err), nil
	}
	resource, err := resourceOf(t.objects, spec)
	if err != nil {
		return action.Failed("%s is not patched: %v", said, err), nil
	}
	var lost []string
	err = retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		lost, err = patch(ctx, resource, name, recorded, step.DryRun)
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		return action.Failed("%s does not exist: %v", said, err), nil
	case err != nil:
		return action.Refusal("patch "+said, err)
	case len(lost) > 0:
		done := action.Done()
		done.Message = fmt.Sprintf("%s has been patched, but is not as the patch says: %s: the API server or a webhook has kept that from being changed",
			said, quote.Names(lost, maxLost))
		return done, nil
	default:
		return action.Done(), nil
	}
}

// maxLost is how many fields a message names that were not changed.
const maxLost = 5

// patch patches the object as it is now, and returns what is not as the patch says afterward. If the object is as it should
// be, nothing is sent.
func patch(ctx context.Context, resource dynamic.ResourceInterface, name string, recorded recorded, dry bool) (lost []string, err error) {
	object, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	body, err := recorded.bodyFor(object)
	if err != nil || body == nil {
		return nil, err
	}
	// A field that the object does not have would be dropped without a word.
	options := metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	patched, err := resource.Patch(ctx, name, types.MergePatchType, body, options)
	if err != nil {
		return nil, withoutObject(err)
	}
	return lostOf(recorded, patched.Object, ""), nil
}

// strict comes before the fields that are not there, in the answer of kube-apiserver.
const strict = "strict decoding error: "

// withoutObject leaves the object out of an answer that has the whole of it before the reason. The message of a step is
// shorter than that, and people read it who may not read the object.
func withoutObject(err error) error {
	if !apierrors.IsInvalid(err) {
		return err
	}
	text := err.Error()
	if at := strings.LastIndex(text, strict); at >= 0 {
		return apierrors.NewBadRequest(text[at+len(strict):])
	}
	return err
}

// resourceOf returns where the objects are. It asks again what validation has asked: another version may have stored it.
func resourceOf(objects dynamic.Interface, spec *v1beta1.PatchObjectTrigger) (dynamic.ResourceInterface, error) {
	version, err := schema.ParseGroupVersion(spec.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("apiVersion: %w", err)
	}
	if why := v1beta1.WhyUnpatchable(version.Group, spec.Resource); why != "" {
		return nil, errors.New(why)
	}
	all := objects.Resource(version.WithResource(spec.Resource))
	if spec.Namespace == "" {
		return all, nil
	}
	return all.Namespace(spec.Namespace), nil
}

// say names the object in messages.
func say(spec *v1beta1.PatchObjectTrigger, name string) string {
	if spec.Namespace == "" {
		return spec.Resource + " " + name
	}
	return spec.Resource + " " + spec.Namespace + "/" + name
}
