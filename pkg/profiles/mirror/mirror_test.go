// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	informers "github.com/medik8s/maintenance-apiserver/pkg/generated/informers/externalversions/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

const noProfile = `{"Profiles":{"default":{"Transition":"2000-01-01T00:00:00Z","Current":"operational","Previous":"operational"}},"Notifications":{}}`

type fakeShadow struct {
	active  bool
	written []string
}

func (s *fakeShadow) Why(string) string {
	if s.active {
		return "it runs"
	}
	return ""
}

func (s *fakeShadow) Written(node, manager string, _ time.Time) {
	s.active = true
	s.written = append(s.written, node+" "+manager)
}

// adopted is what the Mirror is told.
var adopted atomic.Bool

// world is a cluster with a Mirror at work.
type world struct {
	t           *testing.T
	kube        *fake.Clientset
	maintenance *maintenancefake.Clientset
	shadow      *fakeShadow
	recorder    *record.FakeRecorder
	mirror      *Mirror
	// endTerm ends the term of leading, and returns when it has ended.
	endTerm func()
}

func node(name string, annotations map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), Annotations: annotations,
	}}
}

// run runs a Mirror in a bubble of its own time.
func run(t *testing.T, test func(w *world), objects ...runtime.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			t: t, kube: fake.NewSimpleClientset(objects...), maintenance: maintenancefake.NewSimpleClientset(), shadow: &fakeShadow{},
			recorder: record.NewFakeRecorder(100),
		}
		var err error
		profiles := informers.NewMaintenanceProfileInformer(w.maintenance, 0, cache.Indexers{})
		nodeProfiles := informers.NewNodeProfileInformer(w.maintenance, 0, cache.Indexers{
			v1beta1.FieldNodeName: func(obj any) ([]string, error) { return []string{obj.(*v1beta1.NodeProfile).Spec.NodeName}, nil },
		})
		w.mirror, err = New(Config{
			Kube: w.kube, Profiles: profiles, NodeProfiles: nodeProfiles, Adopted: func(string) bool { return adopted.Load() },
			Shadow: w.shadow, Recorder: w.recorder,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { profiles.RunWithContext(ctx) })
		running.Go(func() { nodeProfiles.RunWithContext(ctx) })
		w.lead()
		test(w)
		w.endTerm()
	})
}

func (w *world) lead() {
	ctx, stop := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.mirror.Lead(ctx) })
	w.endTerm = func() {
		stop()
		running.Wait()
	}
	w.settle()
}

func (w *world) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	n, err := w.kube.CoreV1().Nodes().Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) want(state, data string) {
	w.t.Helper()
	w.settle()
	got := marksOf(w.node("worker-1"))
	if got.state != state || got.data != data {
		w.t.Errorf("label %q, annotation %s, want %q, %s", got.state, got.data, state, data)
	}
	if state != "" && got.mark != got.hash() {
		w.t.Errorf("mark %q, want %q", got.mark, got.hash())
	}
}

// patches are how many times nodes were written.
func (w *world) patches() int {
	count := 0
	for _, action := range w.kube.Actions() {
		if action.GetVerb() == "patch" {
			count++
		}
	}
	return count
}

func (w *world) events() string {
	var events []string
	for {
		select {
		case e := <-w.recorder.Events:
			events = append(events, e)
		default:
			return strings.Join(events, "\n")
		}
	}
}

// put creates or changes the NodeProfile of the profile Disks on worker-1.
func (w *world) put(sequence int64, state v1beta1.ProfileState, change ...func(*v1beta1.NodeProfileStatus)) {
	w.t.Helper()
	p := &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-1.disks", UID: "u"}, Spec: v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "disks"},
		Status: v1beta1.NodeProfileStatus{State: state, Sequence: sequence, Since: ptr.To(metav1.NewTime(time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)))},
	}
	for _, c := range change {
		c(&p.Status)
	}
	client := w.maintenance.MaintenanceV1beta1().NodeProfiles()
	_, err := client.Update(w.t.Context(), p, metav1.UpdateOptions{})
	if err != nil {
		_, err = client.Create(w.t.Context(), p, metav1.CreateOptions{})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle()
}

// edit changes the annotation as a program of that name does.
func (w *world) edit(manager, data string) {
	w.t.Helper()
	n := w.node("worker-1")
	n.Annotations[sapdata.Annotation] = data
	n.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: manager, Time: ptr.To(metav1.Now()), FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:cloud.sap/maintenance-data":{}}}}`),
	}}
	if _, err := w.kube.CoreV1().Nodes().Update(w.t.Context(), n, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.settle()
}

func disks(current string) string {
	return `{"Profiles":{"Disks":{"Transition":"2000-01-01T01:00:00Z","Current":"` + current + `","Previous":"` + current + `"}},"Notifications":{}}`
}

func TestMirrors(t *testing.T) {
	run(t, func(w *world) {
		w.want("operational", noProfile)
		profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "disks"}, Spec: v1beta1.MaintenanceProfileSpec{Alias: "Disks"}}
		if _, err := w.maintenance.MaintenanceV1beta1().MaintenanceProfiles().Create(t.Context(), profile, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.put(1, v1beta1.ProfileOperational)
		w.want("operational", disks("operational"))
		before := w.patches()
		w.put(1, v1beta1.ProfileOperational, func(s *v1beta1.NodeProfileStatus) { s.WaitingFor = "something" })
		heartbeat := w.node("worker-1")
		heartbeat.Status.Conditions = []corev1.NodeCondition{{Type: "Ready", LastHeartbeatTime: metav1.Now()}}
		if _, err := w.kube.CoreV1().Nodes().UpdateStatus(t.Context(), heartbeat, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		if after := w.patches(); after != before {
			t.Errorf("%d writes for changes that are not mirrored, want none", after-before)
		}
		w.put(2, v1beta1.ProfileInMaintenance)
		w.want("in-maintenance", disks("in-maintenance"))
		if got, want := w.events(), "Normal ChangedMaintenanceState The node is now in the in-maintenance state caused by profile Disks"; got != want {
			t.Errorf("events %q, want %q", got, want)
		}
	}, node("worker-1", nil))
}

// What others have told while this process did not lead is not told again.
func TestTerms(t *testing.T) {
	run(t, func(w *world) {
		w.put(1, v1beta1.ProfileOperational)
		w.endTerm()
		w.put(2, v1beta1.ProfileMaintenanceRequired)
		w.want("operational", strings.ReplaceAll(disks("operational"), "Disks", "disks"))
		w.lead()
		w.want("maintenance-required", strings.ReplaceAll(disks("maintenance-required"), "Disks", "disks"))
		if got := w.events(); got != "" {
			t.Errorf("events %q, want none", got)
		}
	}, node("worker-1", nil))
}

func TestHandEditIsOverwritten(t *testing.T) {
	for name, data := range map[string]string{"other state": disks("in-maintenance"), "no JSON": "x"} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				w.edit("kubectl-annotate", data)
				w.want("operational", noProfile)
				if got, want := w.events(), "Warning MaintenanceMarksOverwritten The label cloud.sap/maintenance-state or the annotation cloud.sap/maintenance-data was changed by kubectl-annotate"; !strings.Contains(got, want) {
					t.Errorf("events %q, want %q", got, want)
				}
			}, node("worker-1", nil))
		})
	}
}

func TestProgramIsTakenForTheController(t *testing.T) {
	run(t, func(w *world) {
		w.edit("manager", disks("in-maintenance"))
		if got := w.node("worker-1").Annotations[sapdata.Annotation]; got != disks("in-maintenance") {
			t.Errorf("annotation %s, want that of the other program", got)
		}
		if len(w.shadow.written) == 0 || w.shadow.written[0] != "worker-1 manager" {
			t.Errorf("told %q, want that manager has written on worker-1", w.shadow.written)
		}
		time.Sleep(16 * time.Minute)
		w.shadow.active = false
		w.mirror.Wake()
		w.want("operational", noProfile)
	}, node("worker-1", nil))
}

// What the controller writes in a later version, whose annotation cannot be read, is the controller's, too.
func TestProgramWhoseAnnotationCannotBeRead(t *testing.T) {
	run(t, func(w *world) {
		const later = `{"Profiles":{},"Notifications":{},"Version":3}`
		w.edit("manager", later)
		if got := w.node("worker-1").Annotations[sapdata.Annotation]; got != later || len(w.shadow.written) == 0 {
			t.Errorf("annotation %s, told %q, want that of the other program", got, w.shadow.written)
		}
	}, node("worker-1", nil))
}

func TestNothingIsWrittenInTheShadow(t *testing.T) {
	run(t, func(w *world) {
		w.shadow.active = true
		before := w.patches()
		w.put(1, v1beta1.ProfileMaintenanceRequired)
		w.put(2, v1beta1.ProfileInMaintenance)
		if after := w.patches(); after != before || w.events() != "" {
			t.Errorf("%d writes, want none", after-before)
		}
		w.shadow.active = false
		w.mirror.Wake()
		w.settle()
		if got := w.node("worker-1").Labels[v1beta1.StateLabel]; got != "in-maintenance" {
			t.Errorf("label %q after the shadow, want in-maintenance", got)
		}
	}, node("worker-1", nil))
}

func TestStateOfTheControllerStaysUntilAdopted(t *testing.T) {
	left := disks("in-maintenance")
	run(t, func(w *world) {
		stays := func(when string) {
			w.mirror.Wake()
			w.settle()
			if got := w.node("worker-1").Annotations[sapdata.Annotation]; got != left {
				t.Errorf("annotation %s %s, want %s", got, when, left)
			}
		}
		stays("before it was adopted")
		adopted.Store(true)
		defer adopted.Store(false)
		stays("before the profile is there")
		profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "disks"}, Spec: v1beta1.MaintenanceProfileSpec{Alias: "Disks"}}
		if _, err := w.maintenance.MaintenanceV1beta1().MaintenanceProfiles().Create(t.Context(), profile, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.put(1, v1beta1.ProfileOperational)
		if got := w.node("worker-1").Annotations[sapdata.Annotation]; got == left {
			t.Errorf("annotation %s after it was adopted, want what is true", got)
		}
	}, node("worker-1", map[string]string{sapdata.Annotation: left}))
}

// A profile may be applied after others: until it is on the node, what the controller knew of it stays.
func TestProfilesThatComeLater(t *testing.T) {
	here := node("worker-1", map[string]string{sapdata.Annotation: disks("operational")})
	here.Labels = map[string]string{v1beta1.DefaultProfileLabel: "Disks"}
	run(t, func(w *world) {
		adopted.Store(true)
		defer adopted.Store(false)
		w.mirror.Wake()
		w.want("operational", disks("operational"))
		label := func(value string) {
			labelled := w.node("worker-1")
			labelled.Labels[v1beta1.DefaultProfileLabel] = value
			if _, err := w.kube.CoreV1().Nodes().Update(t.Context(), labelled, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		label("other")
		w.want("operational", `{"Profiles":{},"Notifications":{}}`)
		label("")
		w.want("operational", noProfile)
	}, here)
}

func TestFailures(t *testing.T) {
	run(t, func(w *world) {
		w.put(1, v1beta1.ProfileMaintenanceRequired)
		failed := func(s *v1beta1.NodeProfileStatus) {
			s.Conditions = []metav1.Condition{{Type: v1beta1.ConditionEvaluated, Status: metav1.ConditionFalse}}
		}
		before, _ := testutil.GetCounterMetricValue(failures.WithLabelValues("disks"))
		w.put(1, v1beta1.ProfileMaintenanceRequired, failed)
		w.put(1, v1beta1.ProfileMaintenanceRequired, failed)
		after, err := testutil.GetCounterMetricValue(failures.WithLabelValues("disks"))
		if err != nil || after-before != 1 {
			t.Errorf("counted %v times, %v, want once", after-before, err)
		}
		if got, want := w.events(), "Normal ChangeMaintenanceStateFailed At least one check plugin failed for profile disks: Will stay in maintenance-required state"; got != want {
			t.Errorf("events %q, want %q", got, want)
		}
	}, node("worker-1", nil))
}

func TestShuffles(t *testing.T) {
	owned := func(name, kind, owner string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner}}},
			Spec:       corev1.PodSpec{NodeName: "worker-1"},
		}
	}
	meta := metav1.ObjectMeta{Namespace: "n", Name: "web-1", OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}}}
	run(t, func(w *world) {
		shuffles.Reset()
		shufflesPerReplica.Reset()
		w.put(1, v1beta1.ProfileOperational)
		w.put(2, v1beta1.ProfileInMaintenance)
		for owner, want := range map[string]float64{"deployment_web": 0.25, "stateful_set_db": 1, "daemon_set_agent": 1} {
			count, err := testutil.GetCounterMetricValue(shuffles.WithLabelValues(owner, "disks"))
			share, err2 := testutil.GetCounterMetricValue(shufflesPerReplica.WithLabelValues(owner, "disks"))
			if err != nil || err2 != nil || count != 1 || share != want {
				t.Errorf("%s counted %v, per replica %v, want 1 and %v", owner, count, share, want)
			}
		}
	}, node("worker-1", nil), owned("a", "ReplicaSet", "web-1"), owned("b", "StatefulSet", "db"), owned("c", "DaemonSet", "agent"), owned("d", "Job", "once"),
		&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To[int32](4)}},
		&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "db"}},
		&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "agent"}})
}

// TestPatchIsBoundToTheNode checks that a node that was replaced meanwhile is not written.
func TestPatchIsBoundToTheNode(t *testing.T) {
	run(t, func(w *world) {
		for _, action := range w.kube.Actions() {
			if patch, is := action.(interface{ GetPatch() []byte }); is && action.GetVerb() == "patch" {
				var written struct{ Metadata metav1.ObjectMeta }
				if err := json.Unmarshal(patch.GetPatch(), &written); err != nil || written.Metadata.UID != "worker-1" {
					t.Errorf("patch %s, %v, want one with the UID", patch.GetPatch(), err)
				}
			}
		}
	}, node("worker-1", nil))
}

func TestTrimTwice(t *testing.T) {
	drainertest.TransformTwice(t, (&term{}).trim, &corev1.Node{})
}
