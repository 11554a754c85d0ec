// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubernikus

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	discoveryfake "k8s.io/client-go/discovery/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// world is a cluster of version 1.31.2 with an Integration in it.
type world struct {
	*Integration
	t           *testing.T
	kube        *kubefake.Clientset
	maintenance *fake.Clientset
	events      *record.FakeRecorder
}

func newWorld(t *testing.T, conf string) *world {
	t.Helper()
	w := &world{t: t, kube: kubefake.NewClientset(), maintenance: fake.NewSimpleClientset(), events: record.NewFakeRecorder(100)}
	w.kube.Discovery().(*discoveryfake.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.31.2"}
	w.Integration = New(Config{
		Settings: Settings{CloudConfig: conf, Interval: DefaultInterval}, Kube: w.kube, Maintenance: w.maintenance, Known: w,
		Recorder: w.events, Clock: clock.RealClock{},
	})
	return w
}

// Holds implements integrations.Known.
func (w *world) Holds() ([]*v1beta1.NodeMaintenance, error) {
	list, err := w.maintenance.MaintenanceV1beta1().NodeMaintenances().List(w.t.Context(), metav1.ListOptions{})
	var holds []*v1beta1.NodeMaintenance
	for i := range list.Items {
		holds = append(holds, &list.Items[i])
	}
	return holds, err
}

func (w *world) addNode(name, kubelet string, labels map[string]string) {
	w.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: apitypes.UID("uid-" + name), Labels: labels}}
	node.Status.NodeInfo.KubeletVersion = kubelet
	if _, err := w.kube.CoreV1().Nodes().Create(w.t.Context(), node, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	node, err := w.kube.CoreV1().Nodes().Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return node
}

func (w *world) doRound() {
	w.t.Helper()
	if err := w.round(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hold() *v1beta1.NodeMaintenance {
	w.t.Helper()
	if holds, _ := w.Holds(); len(holds) == 1 {
		return holds[0]
	}
	return nil
}

// drained has the drainer say that the node is empty.
func (w *world) drained() {
	w.t.Helper()
	hold := w.hold()
	hold.Status.NodeUID = w.node(hold.Spec.NodeName).UID
	hold.Status.Conditions = []metav1.Condition{{
		Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, ObservedGeneration: hold.Generation,
	}}
	if _, err := w.maintenance.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(w.t.Context(), hold, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) patches() int {
	count := 0
	for _, action := range w.kube.Actions() {
		if action.Matches("patch", "nodes") {
			count++
		}
	}
	return count
}

func TestUpdateLabel(t *testing.T) {
	tests := map[string]struct {
		kubelet, want string
	}{
		"the same":          {kubelet: "v1.31.2", want: "false"},
		"older":             {kubelet: "v1.30.5", want: "true"},
		"newer":             {kubelet: "v1.31.3", want: "true"},
		"of a distribution": {kubelet: "v1.31.2+k3s1", want: "false"},
		"a candidate":       {kubelet: "v1.31.2-rc.1", want: "true"},
		"none":              {kubelet: "", want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.addNode("a-broken", "latest", nil)
			w.addNode("node-1", test.kubelet, nil)
			w.doRound()
			if got := w.node("node-1").Labels[UpdateLabel]; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			before := w.patches()
			w.doRound()
			if more := w.patches() - before; more != 0 {
				t.Errorf("%d patches although nothing has changed, want none", more)
			}
		})
	}
}

func TestDeleteNode(t *testing.T) {
	o := newOpenStack(t)
	o.servers["1"] = server{Name: "node-1"}
	w := newWorld(t, writeConf(t, o.conf(password)))
	w.addNode("node-1", "v1.31.2", map[string]string{DeleteLabel: "true"})
	w.addNode("node-2", "v1.31.2", map[string]string{DeleteLabel: "false"})
	w.doRound()
	if hold := w.hold(); hold == nil || hold.Spec.NodeName != "node-1" || hold.Spec.Requestor != "maintenance.medik8s.io:kubernikus" {
		t.Fatalf("got hold %+v, want one on node-1", hold)
	}
	w.doRound()
	if o.logins != 0 {
		t.Errorf("%d logins before the node is drained, want none", o.logins)
	}
	w.drained()
	w.doRound()
	o.wantDeleted("1")
	w.doRound()
	delete(o.servers, "1")
	w.doRound()
	o.wantDeleted("1")
	if got := len(w.events.Events); got != 1 {
		t.Errorf("%d events, want one", got)
	}
	if w.hold() == nil {
		t.Error("the node is not held any more, want it to be until it is gone")
	}

	if err := w.kube.CoreV1().Nodes().Delete(t.Context(), "node-1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.doRound()
	if w.hold() != nil {
		t.Error("a new node of the name would be drained")
	}
}

func TestDeleteLabelThatIsRemoved(t *testing.T) {
	w := newWorld(t, "")
	w.addNode("node-1", "v1.31.2", map[string]string{DeleteLabel: "true"})
	w.doRound()
	node := w.node("node-1")
	delete(node.Labels, DeleteLabel)
	if _, err := w.kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.doRound()
	if w.hold() != nil {
		t.Error("the node is held, want it given back")
	}
}

// A node whose kubelet has no version is deleted all the same.
func TestBrokenNodeIsDeleted(t *testing.T) {
	w := newWorld(t, "")
	w.addNode("node-1", "", map[string]string{DeleteLabel: "true"})
	w.doRound()
	if w.hold() == nil {
		t.Error("the node is not held, want it to be")
	}
}

func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "")
		w.addNode("node-1", "v1.31.2", nil)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			w.Run(ctx)
			close(ended)
		}()
		synctest.Wait()
		if w.node("node-1").Labels[UpdateLabel] != "false" {
			t.Error("no first round")
		}
		w.addNode("node-2", "v1.31.2", nil)
		time.Sleep(2 * DefaultInterval)
		synctest.Wait()
		if w.node("node-2").Labels[UpdateLabel] != "false" {
			t.Error("no second round")
		}
		stop()
		<-ended
	})
}
