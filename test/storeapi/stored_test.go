// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/store/clusterstore"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const serverUser = "system:serviceaccount:maintenance-system:maintenance-apiserver"

var holdResource = schema.GroupResource{Group: v1beta1.GroupName, Resource: "nodemaintenances"}

func envelope(t *testing.T, name string) clusterstore.Envelope {
	t.Helper()
	u, err := envelopes(t).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := clusterstore.Decode(u)
	if err != nil {
		t.Fatal(err)
	}
	if finalizers := u.GetFinalizers(); len(finalizers) > 0 {
		t.Errorf("the envelope has the finalizers %q, want none", finalizers)
	}
	return e
}

// settled waits until the server has written the status of the hold.
func settled(t *testing.T, p *env.Pool, name string) *v1beta1.NodeMaintenance {
	t.Helper()
	return p.WaitForHold(t, name, "status of the newest generation", func(nm *v1beta1.NodeMaintenance) bool {
		return nm.Status.ObservedGeneration == nm.Generation
	})
}

// The whole object is in the envelope, which repeats only its labels and its node. The object's resourceVersion is the
// envelope's.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := pool.Hold("a", pool.Name+"-absent")
	hold.Labels = map[string]string{"team": "x"}
	name := pool.Create(t, hold).Name
	settled(t, pool, name)
	live, e := liveAndStored(t, pool, name)
	var stored v1beta1.NodeMaintenance
	if err := json.Unmarshal(e.Data, &stored); err != nil {
		t.Fatal(err)
	}
	if stored.UID != live.UID || stored.UID == e.UID || len(stored.Finalizers) == 0 {
		t.Errorf("stored are UID %s and finalizers %q in an envelope with UID %s, want the hold's %s and a finalizer",
			stored.UID, stored.Finalizers, e.UID, live.UID)
	}
	if e.Labels["team"] != "x" || e.Fields["nodeName"] != live.Spec.NodeName {
		t.Errorf("the envelope repeats labels %v and fields %v, want those of the hold", e.Labels, e.Fields)
	}
}

// liveAndStored returns a hold and its envelope of the same resourceVersion. It reads both again where the hold was
// written in between.
func liveAndStored(t *testing.T, p *env.Pool, name string) (live *v1beta1.NodeMaintenance, e clusterstore.Envelope) {
	t.Helper()
	env.Eventually(t, "the hold and its envelope have the same resourceVersion", func(ctx context.Context) (wrong string) {
		var err error
		if live, err = p.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err.Error()
		}
		if e = envelope(t, name); e.ResourceVersion != live.ResourceVersion {
			return fmt.Sprintf("that of the envelope is %s, and of the hold %s", e.ResourceVersion, live.ResourceVersion)
		}
		return ""
	})
	return live, e
}

// A hold that no longer matches what a watch selects is told as deleted, also where the cluster cannot select by it.
func TestLeavingASelectorIsADeletion(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Create(t, pool.Hold("a", pool.Name+"-absent")).Name
	before := settled(t, pool, name)
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	label := clusterstore.LabelNoBackup + "!=true" // which every envelope has
	for what, options := range map[string]metav1.ListOptions{
		"by a label":            {LabelSelector: "!left"},
		"by a label of our own": {LabelSelector: label + ",!left"},
		"by a field and label":  {LabelSelector: "!left", FieldSelector: "spec.requestor=" + before.Spec.Requestor + ",metadata.name=" + name},
	} {
		options.ResourceVersion = before.ResourceVersion
		w, err := holds.Watch(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		t.Run(what, func(t *testing.T) { t.Parallel(); wantDeletion(t, w, name) })
	}
	if _, err := holds.Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"left":"yes"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func wantDeletion(t *testing.T, w watch.Interface, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), env.Timeout)
	defer cancel()
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				t.Fatal("the watch has ended")
			}
			object, isHold := event.Object.(*v1beta1.NodeMaintenance)
			// Its status may be written again before it leaves.
			if isHold && (object.Name != name || event.Type == watch.Modified && object.Labels["left"] == "") {
				continue
			}
			if event.Type != watch.Deleted || object.Labels["left"] != "" {
				t.Errorf("got %s of %+v, want the deletion, with the object as it was before", event.Type, event.Object)
			}
			return
		case <-ctx.Done():
			t.Fatal("no event")
		}
	}
}

// Pages follow one another, with selectors that the cluster can and cannot apply.
func TestPages(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	want := map[string]bool{}
	for i := range 5 {
		want[pool.Create(t, pool.Hold(fmt.Sprint(i), pool.Name+"-absent")).Name] = true
	}
	for name, selector := range map[string]string{
		"a field of the envelope": "spec.nodeName=" + pool.Name + "-absent",
		"another field":           "spec.nodeName=" + pool.Name + "-absent,status.phase!=Drained",
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]bool{}
			options := metav1.ListOptions{FieldSelector: selector, Limit: 2}
			for page := 0; page == 0 || options.Continue != ""; page++ {
				list, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				if len(list.Items) > 2 {
					t.Errorf("a page has %d holds, want 2 at most", len(list.Items))
				}
				for i := range list.Items {
					got[list.Items[i].Name] = true
				}
				options.Continue = list.Continue
			}
			if len(got) != len(want) {
				t.Errorf("all pages together have %d holds, want %d", len(got), len(want))
			}
		})
	}
}
