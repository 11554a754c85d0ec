// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apitypes "k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// The inventory of the simulator: a host with two machines, whose names are those of the nodes.
const (
	hostName = "DC0_H0"
	nodeName = "DC0_H0_VM0"
	sibling  = "DC0_H0_VM1"
)

const (
	username = "robot"
	password = "s3cret"
	alarm    = "Host memory usage"
)

// world is a vCenter, a cluster with the nodes, and an Integration in it.
type world struct {
	*Integration
	t           *testing.T
	model       *simulator.Model
	server      *simulator.Server
	kube        *kubefake.Clientset
	maintenance *fake.Clientset
	clock       *testingclock.FakeClock
	events      *record.FakeRecorder
	settings    Settings
	// fenced says that the process does not lead any more.
	fenced atomic.Bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	model := simulator.VPX()
	model.Host, model.Cluster = 1, 0
	t.Cleanup(model.Remove)
	if err := model.Create(); err != nil {
		t.Fatal(err)
	}
	model.Service.TLS = new(tls.Config)
	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword(username, password)}
	w := &world{
		t: t, model: model, server: model.Service.NewServer(), kube: kubefake.NewClientset(), maintenance: fake.NewSimpleClientset(),
		clock: testingclock.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), events: record.NewFakeRecorder(1000),
	}
	t.Cleanup(w.server.Close)
	w.settings = Settings{
		URL: "https://" + w.server.URL.Host, CredentialsDir: t.TempDir(), CAFile: w.caFile(), Alarms: []string{alarm},
		Interval: DefaultInterval, ShutdownTimeout: DefaultShutdownTimeout,
	}
	w.writeCredentials("a", username, password)
	w.addNode(nodeName, nil)
	w.restart()
	return w
}

func (w *world) caFile() string {
	w.t.Helper()
	file, err := w.server.CertificateFile()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.Remove(file) })
	return file
}

func (w *world) writeCredentials(zone, username, password string) {
	w.t.Helper()
	for name, value := range map[string]string{zone + ".username": username, zone + ".password": password + "\n"} {
		if err := os.WriteFile(filepath.Join(w.settings.CredentialsDir, name), []byte(value), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// restart has a new process lead, which remembers nothing.
func (w *world) restart() {
	if w.Integration != nil {
		w.sessions.close(w.t.Context())
	}
	w.Integration = New(Config{
		Settings: w.settings, Kube: w.kube, Maintenance: w.maintenance, Known: w, Fence: w.wrap, Recorder: w.events, Clock: w.clock,
	})
	w.t.Cleanup(func() { w.sessions.close(context.Background()) })
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

// addNode adds a node on the host, in zone eu-1a, with further labels. An empty value removes one.
func (w *world) addNode(name string, labels map[string]string) {
	w.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: apitypes.UID("uid-" + name), Labels: map[string]string{
		HostLabel: hostName, corev1.LabelTopologyZone: "eu-1a",
	}}}
	for key, value := range labels {
		if node.Labels[key] = value; value == "" {
			delete(node.Labels, key)
		}
	}
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

// label sets a label of a node; an empty value removes it.
func (w *world) label(name, key, value string) {
	w.t.Helper()
	node := w.node(name)
	if node.Labels[key] = value; value == "" {
		delete(node.Labels, key)
	}
	if _, err := w.kube.CoreV1().Nodes().Update(w.t.Context(), node, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// hold is the NodeMaintenance of the integration on a node; nil if there is none.
func (w *world) hold(node string) *v1beta1.NodeMaintenance {
	w.t.Helper()
	holds, err := w.Holds()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, hold := range holds {
		if hold.Spec.NodeName == node {
			return hold
		}
	}
	return nil
}

// drained has the drainer say that the node is empty.
func (w *world) drained(name string) {
	w.t.Helper()
	hold := w.hold(name)
	if hold == nil {
		w.t.Fatalf("node %s is not held", name)
	}
	hold.Status.NodeUID = w.node(name).UID
	hold.Status.Conditions = []metav1.Condition{{
		Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, ObservedGeneration: hold.Generation,
	}}
	if _, err := w.maintenance.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(w.t.Context(), hold, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// admin is somebody else's session at the vCenter.
func (w *world) admin() *find.Finder {
	w.t.Helper()
	client, err := govmomi.NewClient(w.t.Context(), w.server.URL, true)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = client.Logout(context.Background()) })
	return find.NewFinder(client.Client)
}

func (w *world) hostInMaintenance(in bool) {
	w.t.Helper()
	host, err := w.admin().HostSystem(w.t.Context(), "*/"+hostName)
	if err != nil {
		w.t.Fatal(err)
	}
	var task *object.Task
	if in {
		task, err = host.EnterMaintenanceMode(w.t.Context(), 0, false, nil)
	} else {
		task, err = host.ExitMaintenanceMode(w.t.Context(), 0)
	}
	if err == nil {
		err = task.WaitEx(w.t.Context())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wantPower(name string, want types.VirtualMachinePowerState) {
	w.t.Helper()
	machine, err := w.admin().VirtualMachine(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	var read mo.VirtualMachine
	if err := machine.Properties(w.t.Context(), machine.Reference(), []string{"runtime.powerState"}, &read); err != nil {
		w.t.Fatal(err)
	}
	if got := read.Runtime.PowerState; got != want {
		w.t.Errorf("machine %s is %s, want %s", name, got, want)
	}
}

func (w *world) wantOn(name string) {
	w.t.Helper()
	w.wantPower(name, types.VirtualMachinePowerStatePoweredOn)
}

func (w *world) wantOff(name string) {
	w.t.Helper()
	w.wantPower(name, types.VirtualMachinePowerStatePoweredOff)
}

func (w *world) wantLabel(name, key, want string) {
	w.t.Helper()
	if got := w.node(name).Labels[key]; got != want {
		w.t.Errorf("node %s has %s=%q, want %q", name, key, got, want)
	}
}

func (w *world) wantInitiated(name string, want bool) {
	w.t.Helper()
	if got := w.node(name).Annotations[InitiatedAnnotation] == "true"; got != want {
		w.t.Errorf("node %s has the record: %t, want %t", name, got, want)
	}
}

func (w *world) wantHeld(name string, want bool) {
	w.t.Helper()
	if got := w.hold(name) != nil; got != want {
		w.t.Errorf("node %s is held: %t, want %t", name, got, want)
	}
}

// wantEvents wants exactly these events since the last call, by parts of their texts.
func (w *world) wantEvents(want ...string) {
	w.t.Helper()
	var got []string
	for len(w.events.Events) > 0 {
		got = append(got, <-w.events.Events)
	}
	for i, part := range want {
		if i >= len(got) || !strings.Contains(got[i], part) {
			w.t.Errorf("got the events %q, want %q", got, want)
			return
		}
	}
	if len(got) > len(want) {
		w.t.Errorf("got the events %q, want %q", got, want)
	}
}

// requests counts the requests that change nodes.
func (w *world) patches() int {
	count := 0
	for _, action := range w.kube.Actions() {
		if action.Matches("patch", "nodes") {
			count++
		}
	}
	return count
}

// fail has the vCenter refuse calls of a method. An empty name stands for every object.
func (w *world) fail(method string, fault types.BaseMethodFault, count int) {
	w.model.Service.AddFaultRule(&simulator.FaultInjectionRule{
		MethodName: method, ObjectType: "*", ObjectName: "*", Probability: 1, FaultType: simulator.FaultTypeCustom, Fault: fault,
		MaxCount: count, Enabled: true,
	})
}

// refuse has the cluster refuse requests.
func (w *world) refuse(verb, resource string) {
	w.kube.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no")
	})
}

// wrap is a fence that is closed while the process does not lead.
func (w *world) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if w.fenced.Load() {
			return nil, errors.New("this process does not lead")
		}
		return next.RoundTrip(request)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
