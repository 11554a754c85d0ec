// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// What may become of an object between the plan and its hand-over.
var (
	errReplaced = errors.New("the object was deleted and created again in the meantime: run this command again")
	errDeleted  = errors.New("the object was deleted in the meantime: run this command again, which gives the node back")
	errGone     = errors.New("the object was deleted in the meantime, and so its hold is deleted too: run this command again, " +
		"since another object may have its name")
)

// carryOutAll carries out the steps, and writes a line for each that does something. An object that cannot be
// imported does not keep others from it.
func (i *importer) carryOutAll(ctx context.Context, steps []step, out io.Writer) error {
	failed := 0
	if slices.ContainsFunc(steps, step.acts) {
		fmt.Fprintln(out)
	}
	for _, s := range steps {
		done, err := i.carryOut(ctx, &s)
		if err != nil {
			failed++
			done = append(done, "FAILED: "+err.Error())
		}
		if len(done) > 0 {
			fmt.Fprintf(out, "%s: %s\n", s.object, strings.Join(done, ", "))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s could not be imported: see above, and run the command again", failed, english.Plural(len(steps), "object", ""))
	}
	showNext(out, steps)
	return nil
}

// acts says whether there is something to do or to tell.
func (s step) acts() bool { return s.create != nil || s.handOver || s.late || s.end || s.err != nil }

// carryOut does what the step says, in an order that may be interrupted anywhere: first the hold is there,
// then the operator's object is let go, and last a hold ends that is to end. A hold whose object was deleted
// late ends before the object is let go. It returns what it has done.
func (i *importer) carryOut(ctx context.Context, s *step) (done []string, err error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.create != nil {
		created, err := i.maintenance.MaintenanceV1beta1().NodeMaintenances().Create(ctx, s.create, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("could not create NodeMaintenance %s: %w", s.hold, err)
		}
		s.uid = created.UID
		done = append(done, "created NodeMaintenance "+s.hold)
	}
	if s.late {
		if err := i.end(ctx, *s); err != nil {
			return done, err
		}
		done = append(done, ended(s.hold))
	}
	if s.handOver {
		if err := i.handOver(ctx, *s); err != nil {
			return done, err
		}
		done = append(done, "let go of the object")
	}
	if s.end {
		if err := i.end(ctx, *s); err != nil {
			return done, err
		}
		done = append(done, ended(s.hold))
	}
	return done, nil
}

// ended says that a hold was deleted.
func ended(hold string) string {
	return "deleted NodeMaintenance " + hold + ", so that the node is given back"
}

// handOver removes the operator's finalizer from the object, and writes on it which hold it was imported as.
func (i *importer) handOver(ctx context.Context, s step) error {
	version, err := schema.ParseGroupVersion(s.object.APIVersion)
	if err != nil {
		return fmt.Errorf("could not tell the version of %s: %w", s.object, err)
	}
	objects := i.dynamic.Resource(version.WithResource(plural)).Namespace(s.object.Namespace)
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := objects.Get(ctx, s.object.Name, metav1.GetOptions{})
		if err == nil {
			err = s.mayLetGo(current)
		}
		if err != nil {
			return err
		}
		patch, err := handOverPatch(current.GetResourceVersion(), current.GetFinalizers(), s.hold)
		if err != nil {
			return err
		}
		_, err = objects.Patch(ctx, s.object.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errReplaced), apierrors.IsNotFound(err):
		return i.objectGone(ctx, s, err)
	default:
		return fmt.Errorf("could not remove the finalizer %s: %w", finalizer, err)
	}
}

// mayLetGo fails if the object is no more what the step was made for.
func (s step) mayLetGo(current *unstructured.Unstructured) error {
	switch {
	case current.GetUID() != s.object.UID:
		return errReplaced
	case current.GetDeletionTimestamp() != nil && s.lasting() && !s.object.doomed:
		return errDeleted
	default:
		return nil
	}
}

// lasting says whether the step leaves a hold.
func (s step) lasting() bool { return s.hold != "" && !s.end && !s.late }

// objectGone ends the hold of an object that went before it was let go: its user wants the node back.
func (i *importer) objectGone(ctx context.Context, s step, why error) error {
	if s.lasting() {
		return errors.Join(errGone, i.end(ctx, s))
	}
	if errors.Is(why, errReplaced) {
		return why
	}
	return nil
}

// handOverPatch names the version that it was made from: nobody's finalizer is lost.
func handOverPatch(version string, finalizers []string, hold string) ([]byte, error) {
	kept := slices.DeleteFunc(append([]string{}, finalizers...), func(name string) bool { return name == finalizer })
	metadata := map[string]any{"resourceVersion": version, "finalizers": kept}
	if hold != "" {
		metadata["annotations"] = map[string]string{importedAsAnnotation: hold}
	}
	return json.Marshal(map[string]any{"metadata": metadata})
}

// end deletes the hold of an object that was being deleted.
func (i *importer) end(ctx context.Context, s step) error {
	err := i.maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(ctx, s.hold, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &s.uid},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not delete NodeMaintenance %s: %w", s.hold, err)
	}
	return nil
}
