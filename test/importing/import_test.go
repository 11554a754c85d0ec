// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/importer"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// roundTripper sends requests as a function does.
type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func isWrite(request *http.Request) bool { return request.Method != http.MethodGet }

// through is the configuration of a client whose requests pass the function.
func through(config *rest.Config, pass func(next http.RoundTripper, request *http.Request) (*http.Response, error)) *rest.Config {
	wrapped := rest.CopyConfig(config)
	wrapped.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) { return pass(next, request) })
	})
	return wrapped
}

// A cluster with maintenances of all kinds changes over. Neither nodes nor pods notice, and each node is
// given back as the operator would have given it back, or better.
func TestImport(t *testing.T) {
	t.Parallel()
	const (
		done = iota
		blocked
		waiting
		precordoned
		failed
		ending
		nodes
	)
	o := newOperator(t, nodes, "nodemaintenance.medik8s.io", "v1beta1", v1beta1.DrainTaint)
	before := make([]essence, nodes)
	for i, node := range o.Nodes {
		if i == precordoned {
			o.cordon(t, node)
			env.Eventually(t, "taint of the cordon", func(context.Context) string {
				if len(o.Node(t, node).Spec.Taints) == 0 {
					return "it has none"
				}
				return ""
			})
		}
		before[i] = o.essence(t, node)
	}
	pods := o.Cluster.Workload(o.Name).DaemonSet("agent", o.Selector()).
		Pod("web", localcluster.OnNode(o.Nodes[blocked])).Budget("web", localcluster.MinAvailable("1"))
	o.Run(t, pods)
	for _, i := range []int{done, blocked, ending} {
		o.takeOut(t, o.Nodes[i])
	}
	out := make([]essence, nodes)
	for i, node := range o.Nodes {
		out[i] = o.essence(t, node)
	}
	running := map[string]any{"phase": "Running", "totalpods": int64(2), "evictionPods": int64(1), "pendingPods": []any{"web"}}
	half := map[string]any{
		"phase": "Running", "drainProgress": int64(75), "totalpods": int64(6), "evictionPods": int64(4), "pendingPods": []any{"web"},
		"lastError": "error when evicting pods/\"web\"",
	}
	gaveUp := map[string]any{"phase": "Failed", "drainProgress": int64(50), "lastError": "maintenance failed: lease could not be extended after 4 attempts"}
	statuses := map[int]map[string]any{done: drained(), blocked: half, waiting: running, precordoned: running, failed: gaveUp, ending: drained()}
	object := func(i int) string { return fmt.Sprintf("%s-m%d", o.Name, i) }
	uids := map[int]types.UID{}
	for i, status := range statuses {
		uids[i] = o.maintain(t, object(i), o.Nodes[i], status).GetUID()
	}
	if err := o.objects.Delete(t.Context(), object(ending), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	o.maintain(t, object(nodes), o.Name+"-absent", map[string]any{"phase": "Failed", "lastError": "not found"})
	o.lease(t, "medik8s-leases", "node-"+o.Nodes[done], "node-maintenance")
	o.lease(t, "medik8s-leases", "node-"+o.Nodes[waiting], "node-healthcheck")
	podsBefore := o.podUIDs(t)

	t.Run("dry run", func(t *testing.T) { o.wantDryRun(t) })
	told := confirmed(t, o.Env, o.group)
	wantWords(t, told,
		"/"+object(done)+" "+o.Nodes[done]+" Succeeded kept "+object(done)+" import as drained",
		"/"+object(waiting)+" "+o.Nodes[waiting]+" Running of node-healthcheck "+object(waiting)+" import in stage Idle",
		object(ending)+": created NodeMaintenance "+object(ending)+", let go of the object, deleted NodeMaintenance "+object(ending),
		"All objects are imported.", "kubectl delete crd nodemaintenances.nodemaintenance.medik8s.io")

	t.Run("drained", func(t *testing.T) {
		hold := o.WaitForHold(t, object(done), "status written", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.ObservedGeneration > 0 })
		if hold.Status.Phase != v1beta1.PhaseSucceeded || !env.Drained(hold) || hold.Status.EvictionPods != 3 || hold.Status.DrainedTime == nil {
			t.Errorf("status %+v, want it drained as before", hold.Status)
		}
		from, err := v1beta1.ReadImportedFrom(hold.Annotations)
		if err != nil || from.UID != uids[done] || from.Creator != "kubectl-create" || !from.StartTime.Equal(hold.Status.StartTime) {
			t.Errorf("imported from %+v (error %v), want what the object said", from, err)
		}
		if hold.Labels["test"] != o.Name || hold.Spec.Reason != "kernel" {
			t.Errorf("labels %v and reason %q are not those of the object", hold.Labels, hold.Spec.Reason)
		}
	})
	t.Run("half drained", func(t *testing.T) {
		hold := o.WaitForHold(t, object(blocked), "drain goes on", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })
		if ptr.Deref(hold.Status.DrainProgress, 0) != 75 || hold.Status.EvictionPods != 4 {
			t.Errorf("status %+v, want a progress of 75 and 4 pods", hold.Status)
		}
	})
	t.Run("started", func(t *testing.T) {
		o.WaitForHold(t, object(precordoned), "drained", env.Drained)
	})
	t.Run("missing node", func(t *testing.T) {
		o.WaitForHold(t, object(nodes), "status written", func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.Phase == v1beta1.PhasePending && len(nm.Status.Conditions) > 0
		})
	})
	t.Run("nodes and pods did not notice", func(t *testing.T) {
		for _, i := range []int{done, blocked, failed, waiting} {
			if diff := cmp.Diff(out[i], o.essence(t, o.Nodes[i])); diff != "" {
				t.Errorf("node of case %d (-before the import +after):\n%s", i, diff)
			}
		}
		if diff := cmp.Diff(podsBefore, o.podUIDs(t)); diff != "" {
			t.Errorf("pods (-before the import +after):\n%s", diff)
		}
	})
	t.Run("ended", func(t *testing.T) { o.wantGone(t, object(ending)) })
	t.Run("again", func(t *testing.T) {
		wantWords(t, confirmed(t, o.Env, o.group), object(done)+" "+o.Nodes[done]+" Succeeded kept "+object(done)+" none: imported already")
	})
	t.Run("given back", func(t *testing.T) {
		o.removeObjects(t)
		for i := range ending {
			o.Delete(t, object(i))
		}
		for i, node := range o.Nodes {
			env.Eventually(t, fmt.Sprintf("node of case %d as before all", i), func(context.Context) string {
				return cmp.Diff(before[i], o.essence(t, node), cmpopts.EquateEmpty())
			})
		}
	})
}

// wantDryRun checks that a dry run tells of the import, and writes nothing.
func (o *operator) wantDryRun(t *testing.T) {
	t.Helper()
	var writes atomic.Int32
	config := through(o.Cluster.Config(), func(next http.RoundTripper, request *http.Request) (*http.Response, error) {
		if isWrite(request) {
			writes.Add(1)
		}
		return next.RoundTrip(request)
	})
	out, err := runImport(t.Context(), config, importer.Options{Groups: []string{o.group}})
	if err != nil || writes.Load() > 0 {
		t.Errorf("the dry run wrote %d times, and failed with %v", writes.Load(), err)
	}
	wantWords(t, out, "OBJECT NODE PHASE LEASE HOLD ACTION", "import as drained", "import in stage Idle", "import, and give the node back",
		"Nothing was changed. To do this, run the command again with --confirm.")
}

// removeObjects deletes the operator's objects, as the delete of their CRD does, which does nothing to the
// nodes.
func (o *operator) removeObjects(t *testing.T) {
	t.Helper()
	if err := o.objects.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "objects of the operator gone", func(ctx context.Context) string {
		list, err := o.objects.List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) > 0 {
			return fmt.Sprintf("%d are left (%v): %v", len(list.Items), err, finalizersOf(list.Items))
		}
		return ""
	})
}

func finalizersOf(objects []unstructured.Unstructured) map[string][]string {
	found := map[string][]string{}
	for i := range objects {
		found[objects[i].GetName()] = objects[i].GetFinalizers()
	}
	return found
}

// wantGone waits until a hold has ended.
func (o *operator) wantGone(t *testing.T, name string) {
	t.Helper()
	env.Eventually(t, "hold "+name+" ended", func(ctx context.Context) string {
		_, err := o.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprint("it is still there: ", err)
	})
}

// podUIDs are the UIDs of the pool's pods that are not being deleted.
func (o *operator) podUIDs(t *testing.T) map[string]types.UID {
	t.Helper()
	list, err := o.Kube.CoreV1().Pods(o.Name).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	uids := map[string]types.UID{}
	for i := range list.Items {
		if pod := &list.Items[i]; pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			uids[pod.Name] = pod.UID
		}
	}
	return uids
}
