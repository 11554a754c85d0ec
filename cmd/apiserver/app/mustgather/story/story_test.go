// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(second int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(second) * time.Second)) }

func ptr(t metav1.Time) *metav1.Time { return &t }

// told is the story without its introduction, and without the day.
func told(t *testing.T, s *Story) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, sections, _ := strings.Cut(b.String(), "is known.\n")
	return strings.ReplaceAll(sections, "2026-05-04 ", "")
}

func hold(name, node string, change func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	nm := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: at(0)},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Requestor: "alice", Stage: v1beta1.StageDrain},
		Status:     v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseRunning},
	}
	change(nm)
	return nm
}

func node(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{
			Unschedulable: true, Taints: []corev1.Taint{{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule}},
		},
	}
}

func event(kind, name string, second int, reason, message string) *corev1.Event {
	return &corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name}, FirstTimestamp: at(second), LastTimestamp: at(second), Count: 1,
		Reason: reason, Message: message, Source: corev1.EventSource{Component: "maintenance-apiserver"},
	}
}

func audit(second int, verb, resource, name, annotations string, code int) []byte {
	group := v1beta1.GroupName
	if annotations == "core" {
		group, annotations = "", ""
	}
	return fmt.Appendf(nil, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":%q,"user":{"username":"alice"},
		"objectRef":{"resource":%q,"name":%q,"apiGroup":%q},"responseStatus":{"code":%d},"requestReceivedTimestamp":%q,"annotations":{%s}}`,
		verb, resource, name, group, code, at(second).Format(metav1.RFC3339Micro), annotations)
}

const onWorker1 = `"maintenance.medik8s.io/node":"worker-1","maintenance.medik8s.io/reason":"new disk"`

func TestStory(t *testing.T) {
	head := "\nNode worker-1: cordoned, has the taint medik8s.io/drain:NoSchedule\n"
	tests := map[string]struct {
		tell func(s *Story)
		want string
	}{
		"nothing": {tell: func(*Story) {}, want: "\nNo node is in maintenance, and nothing tells of an earlier maintenance.\n"},
		"a hold, with what is still to come": {
			tell: func(s *Story) {
				s.Node(node("worker-1"))
				s.Hold(hold("disk", "worker-1", func(nm *v1beta1.NodeMaintenance) {
					nm.Spec.Reason, nm.Status.DrainProgress, nm.Status.BlockedPodCount = "new disk", new(int32(50)), 2
					nm.Status.StartTime, nm.Status.Deadline = ptr(at(1)), ptr(at(7200))
					nm.Status.Conditions = []metav1.Condition{{
						Type: "Cordoned", Status: "True", Reason: "Cordoned", Message: "node worker-1 is cordoned", LastTransitionTime: at(1),
					}}
				}))
			},
			want: head + "  Hold disk of alice, stage Drain: Running, 50 % drained, 2 pods blocked. Reason: new disk\n" +
				"  12:00:00  hold    disk  was created by alice\n" +
				"  12:00:01  hold    disk  the drain began\n" +
				"  12:00:01  hold    disk  Cordoned became True (Cordoned): node worker-1 is cordoned\n" +
				"  13:00:00  now; what follows is still to come\n" +
				"  14:00:00  hold    disk  the deadline of the drain\n",
		},
		"an event on node and hold is told once": {
			tell: func(s *Story) {
				s.Node(node("worker-1"))
				s.Hold(hold("disk", "worker-1", func(*v1beta1.NodeMaintenance) {}))
				s.Event(event("Node", "worker-1", 2, "NodeCordoned", "node worker-1 is cordoned"))
				s.Event(event("NodeMaintenance", "disk", 3, "NodeCordoned", "node worker-1 is cordoned"))
			},
			want: head + "  Hold disk of alice, stage Drain: Running\n" +
				"  12:00:00  hold    disk  was created by alice\n" +
				"  12:00:02  event   disk  NodeCordoned: node worker-1 is cordoned\n",
		},
		"a node in maintenance again": {
			tell: func(s *Story) {
				twice := event("Node", "worker-1", 1, "NodeCordoned", "node worker-1 is cordoned")
				twice.Count, twice.LastTimestamp = 2, at(100)
				s.Event(twice)
				s.Event(event("Node", "worker-1", 1, "MaintenanceStarted", "first takes it"))
				s.Event(event("NodeMaintenance", "first", 1, "NodeCordoned", "node worker-1 is cordoned"))
				s.Event(event("NodeMaintenance", "second", 101, "NodeCordoned", "node worker-1 is cordoned"))
				s.Event(event("NodeMaintenance", "third", 50, "NodeCordoned", "node worker-1 is cordoned"))
			},
			want: "\nNode worker-1: not in maintenance now\n" +
				"  12:00:01  event   first   NodeCordoned: node worker-1 is cordoned\n" +
				"  12:00:01  event           MaintenanceStarted: first takes it\n" +
				"  12:00:50  event   third   NodeCordoned: node worker-1 is cordoned\n" +
				"  12:01:40  event   second  NodeCordoned: node worker-1 is cordoned (2 times by then)\n",
		},
		"an ended hold is found by its events": {
			tell: func(s *Story) {
				s.Event(event("Node", "worker-1", 2, "MaintenanceStarted", "disk (alice) takes node worker-1"))
				s.Event(event("NodeMaintenance", "disk", 1, "NodeNotFound", "no node worker-1"))
				s.Event(event("NodeMaintenance", "disk", 2, "MaintenanceStarted", "disk (alice) takes node worker-1"))
			},
			want: "\nNode worker-1: not in maintenance now\n" +
				"  12:00:01  event   disk  NodeNotFound: no node worker-1\n" +
				"  12:00:02  event   disk  MaintenanceStarted: disk (alice) takes node worker-1\n",
		},
		"a name is used again for another node": {
			tell: func(s *Story) {
				s.Node(node("worker-2"))
				s.Hold(hold("disk", "worker-2", func(nm *v1beta1.NodeMaintenance) { nm.UID, nm.CreationTimestamp = "new", at(60) }))
				earlier := func(second int, reason string) *corev1.Event {
					e := event("NodeMaintenance", "disk", second, reason, "node worker-1")
					e.InvolvedObject.UID = "old"
					return e
				}
				s.Event(event("Node", "worker-1", 1, "NodeCordoned", "node worker-1"))
				s.Event(earlier(1, "NodeCordoned"))
				s.Event(earlier(9, "NodeDrained"))
			},
			want: "\nNode worker-2: cordoned, has the taint medik8s.io/drain:NoSchedule\n" +
				"  Hold disk of alice, stage Drain: Running\n" +
				"  12:01:00  hold    disk  was created by alice\n" +
				"\nNode worker-1: not in maintenance now\n" +
				"  12:00:01  event   disk  NodeCordoned: node worker-1\n" +
				"  12:00:09  event   disk  NodeDrained: node worker-1\n",
		},
		"audit comes first in its second": {
			tell: func(s *Story) {
				s.Node(node("worker-1"))
				s.Event(event("Node", "worker-1", 1, "NodeCordoned", "cordoned"))
				s.Audit(audit(1, "create", "nodemaintenances", "disk", onWorker1, 201))
				s.Audit(audit(2, "delete", "nodemaintenances", "disk", "", 403))
				s.Audit(audit(3, "patch", "nodes", "worker-1", "core", 200))
				s.Audit(audit(4, "create", "nodes", "worker-1", onWorker1, 201))
			},
			want: head + "  12:00:01  audit   disk  alice: create nodemaintenances/disk, reason: new disk\n" +
				"  12:00:01  event         NodeCordoned: cordoned\n" +
				"  12:00:02  audit   disk  alice: delete nodemaintenances/disk, refused with 403\n" +
				"  12:00:03  audit         alice: patch nodes/worker-1\n" +
				"  12:00:04  audit         alice: create nodes/worker-1, reason: new disk\n",
		},
		"what does not belong to maintenance": {
			tell: func(s *Story) {
				s.Event(&corev1.Event{InvolvedObject: corev1.ObjectReference{Kind: "Node", Name: "worker-2"}, FirstTimestamp: at(1), Reason: "Rebooted"})
				s.Audit(audit(1, "patch", "nodes", "worker-2", "core", 200))
				s.Audit(audit(1, "get", "nodemaintenances", "disk", "", 200))
				s.Audit(audit(1, "create", "pods", "disk", "", 200))
				s.Audit([]byte(`I0504 12:00:00 audit.k8s.io`))
				s.Audit([]byte(`{"apiVersion":"audit.k8s.io/v1"`))
			},
			want: "\nNo node is in maintenance, and nothing tells of an earlier maintenance.\n",
		},
		"pods, repeated events, leases, writers": {
			tell: func(s *Story) {
				worker := node("worker-1")
				worker.ManagedFields = []metav1.ManagedFieldsEntry{
					{Manager: "kubectl-cordon", Time: ptr(at(9))}, {Manager: "kubelet", Time: ptr(at(9)), Subresource: "status"},
				}
				worker.Spec.Taints = append(worker.Spec.Taints, corev1.Taint{
					Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: ptr(at(8)),
				})
				worker.Status.Conditions = []corev1.NodeCondition{
					{Type: corev1.NodeReady, Status: "False", Reason: "KubeletNotReady", Message: "gone", LastTransitionTime: at(5)},
					{Type: corev1.NodeDiskPressure, Status: "False", LastTransitionTime: at(5)},
				}
				s.Node(worker)
				s.Pod(&corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{
						Namespace: "shop", Name: "web-1", UID: "1", DeletionTimestamp: ptr(at(33)), DeletionGracePeriodSeconds: new(int64(30)),
					},
					Spec: corev1.PodSpec{NodeName: "worker-1"},
					Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
						{Type: corev1.DisruptionTarget, Status: "True", Reason: "EvictionByEvictionAPI", LastTransitionTime: at(3)},
					}},
				})
				killing := event("Pod", "web-1", 4, "FailedPreStopHook", "it failed\nagain")
				killing.InvolvedObject.UID, killing.InvolvedObject.Namespace, killing.Count, killing.LastTimestamp = "1", "shop", 3, at(6)
				s.Event(killing)
				earlier, elsewhere := event("Pod", "web-1", 2, "Killing", "on this node"), event("Pod", "web-1", 2, "Scheduled", "to another")
				earlier.Source.Host, elsewhere.Source.Host = "worker-1", "default-scheduler"
				s.Event(earlier)
				s.Event(elsewhere)
				micro := func(second int) *metav1.MicroTime { return new(metav1.NewMicroTime(at(second).Time)) }
				s.Lease("worker-1", &coordinationv1.Lease{
					ObjectMeta: metav1.ObjectMeta{Namespace: "medik8s-leases", Name: "node-worker-1"},
					Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("node-maintenance"), AcquireTime: micro(1), RenewTime: micro(7)},
				})
			},
			want: head + "  12:00:01  lease     node-maintenance took the lease medik8s-leases/node-worker-1, and last renewed it at 12:00:07\n" +
				"  12:00:02  event     /web-1: Killing: on this node\n" +
				"  12:00:03  pod       shop/web-1 is to go: EvictionByEvictionAPI\n" +
				"  12:00:03  pod       shop/web-1 began to terminate, with 30 s to do so, and is still there\n" +
				"  12:00:04  event     shop/web-1: FailedPreStopHook: it failed\\nagain\n" +
				"  12:00:05  node      Ready became False (KubeletNotReady): gone\n" +
				"  12:00:06  event     shop/web-1: FailedPreStopHook: it failed\\nagain (3 times by then)\n" +
				"  12:00:08  node      got the taint node.kubernetes.io/unschedulable:NoSchedule\n" +
				"  12:00:09  writer    kubectl-cordon last changed the node\n",
		},
		"nodes could not be read": {
			tell: func(s *Story) {
				s.NodesUnread = true
				s.Hold(hold("disk", "worker-1", func(nm *v1beta1.NodeMaintenance) {
					nm.Spec.Requestor, nm.Status.LastError, nm.Status.LastUpdate, nm.Spec.Stage = "", "no answer", ptr(at(4)), ""
					nm.DeletionTimestamp, nm.Finalizers = ptr(at(3)), []string{"a"}
				}))
			},
			want: "\nNode worker-1: its state could not be read\n  Hold disk of an unknown user: Running\n" +
				"  12:00:00  hold    disk  was created by an unknown user\n" +
				"  12:00:03  hold    disk  was deleted, and still has 1 finalizer\n" +
				"  12:00:04  hold    disk  last error: no answer\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := New(noon.Add(time.Hour))
			test.tell(s)
			if diff := cmp.Diff(test.want, told(t, s)); diff != "" {
				t.Errorf("the story (-want +got):\n%s", diff)
			}
		})
	}
}

// A story that has no room says what is missing.
func TestStoryIsBounded(t *testing.T) {
	s := New(noon)
	for range maxEntries + 7 {
		s.Event(event("Node", "worker-1", 1, "NodeCordoned", "cordoned"))
	}
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	if len(s.entries) != maxEntries || !strings.Contains(b.String(), "There was no room for 7 more lines.") {
		t.Errorf("got %d entries, want %d, and 7 left out", len(s.entries), maxEntries)
	}
}

func TestHoldThatWaits(t *testing.T) {
	waits := func(change func(*v1beta1.MaintenanceAdmission)) *v1beta1.NodeMaintenance {
		return hold("kernel", "worker-1", func(nm *v1beta1.NodeMaintenance) {
			nm.Status.Phase, nm.Status.Admission = v1beta1.PhasePending, &v1beta1.MaintenanceAdmission{
				Stage: v1beta1.StageIdle, EarliestStartTime: ptr(at(3600)),
				Approvals: []v1beta1.MaintenanceDecision{{Policy: "workers", Decision: v1beta1.DecisionApproved, By: "boss", Time: at(2)}},
				WaitingFor: []v1beta1.AdmissionWait{
					{Reason: v1beta1.AdmissionNotBefore}, {Policy: "workers", Reason: v1beta1.AdmissionWindowClosed},
				},
			}
			change(nm.Status.Admission)
		})
	}
	tests := map[string]struct {
		change func(*v1beta1.MaintenanceAdmission)
		want   []string
	}{
		"it waits": {
			change: func(*v1beta1.MaintenanceAdmission) {},
			want: []string{
				"Hold kernel of alice, stage Drain: Pending, waits for NotBefore, policy workers (WindowClosed)",
				"approved by boss for policy workers", "13:00:00", "does not start earlier",
			},
		},
		"it is admitted": {
			change: func(a *v1beta1.MaintenanceAdmission) {
				*a = v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain, AdmittedTime: ptr(at(60))}
			},
			want: []string{"Hold kernel of alice, stage Drain: Pending\n", "12:01:00", "was admitted"},
		},
		"nobody knows why": {
			change: func(a *v1beta1.MaintenanceAdmission) { a.WaitingFor = nil },
			want:   []string{"Pending, not admitted"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := New(noon.Add(time.Minute * 5))
			s.Hold(waits(test.change))
			got := told(t, s)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("the story lacks %q:\n%s", want, got)
				}
			}
		})
	}
}
