// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package vsphere

import (
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestWholeMaintenance(t *testing.T) {
	w := newWorld(t)
	w.addNode(sibling, nil)
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "false")
	w.wantLabel(nodeName, VersionLabel, w.version())

	w.hostInMaintenance(true)
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "true")
	w.wantHeld(nodeName, false)

	w.label(nodeName, RebootOKLabel, "true")
	w.round(t.Context())
	w.wantInitiated(nodeName, true)
	w.wantHeld(nodeName, true)
	if hold := w.hold(nodeName); hold == nil || hold.Spec.Requestor != "maintenance.medik8s.io:vsphere" || hold.Spec.Stage != v1beta1.StageDrain || hold.Spec.Drain.GracePeriodSeconds != nil {
		t.Errorf("got hold %+v", hold.Spec)
	}
	w.wantHeld(sibling, false)
	w.wantOn(nodeName)

	w.drained(nodeName)
	if waits := w.round(t.Context()); !waits {
		t.Error("nothing is under way, want the shutdown")
	}
	w.wantOff(nodeName)
	w.wantOn(sibling)
	w.wantEvents("GuestShutdown")
	if waits := w.round(t.Context()); waits {
		t.Error("something is under way, want nothing")
	}

	w.hostInMaintenance(false)
	w.round(t.Context())
	w.wantOn(nodeName)
	w.wantEvents("MachinePoweredOn")
	w.round(t.Context())
	w.wantHeld(nodeName, false)
	w.wantInitiated(nodeName, false)
	w.wantLabel(nodeName, MaintenanceLabel, "false")
	before := w.patches()
	w.round(t.Context())
	if more := w.patches() - before; more != 0 {
		t.Errorf("%d patches although nothing has changed, want none", more)
	}
}

func (w *world) version() string {
	return w.model.Map().Any("HostSystem").(*simulator.HostSystem).Summary.Config.Product.Version
}

// A process may end after any of its acts. The next one goes on.
func TestRestartsBetweenRounds(t *testing.T) {
	w := newWorld(t)
	w.label(nodeName, RebootOKLabel, "true")
	w.hostInMaintenance(true)
	for range 2 {
		w.restart()
		w.round(t.Context())
	}
	w.drained(nodeName)
	for range 3 {
		w.restart()
		w.round(t.Context())
	}
	w.wantOff(nodeName)
	w.hostInMaintenance(false)
	for range 3 {
		w.restart()
		w.round(t.Context())
	}
	w.wantOn(nodeName)
	w.wantHeld(nodeName, false)
	w.wantInitiated(nodeName, false)
}

// The record must be there before anything is done: without it, the node would stay off.
func TestNothingWithoutRecord(t *testing.T) {
	w := newWorld(t)
	w.label(nodeName, RebootOKLabel, "true")
	w.hostInMaintenance(true)
	w.refuse("patch", "nodes")
	w.round(t.Context())
	w.wantHeld(nodeName, false)
	w.wantEvents("IntegrationFailed")
	w.round(t.Context())
	w.wantEvents() // it was told
}

// The time is recorded before the guest is asked. After a crash between the two, the next process asks.
func TestCrashBeforeGuestIsAsked(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.fail("ShutdownGuest", &types.NoPermission{}, 1)
	w.round(t.Context())
	w.wantOn(nodeName)
	if w.node(nodeName).Annotations[ShutdownAnnotation] != "2026-03-01T12:00:00Z" {
		t.Errorf("got annotations %v, want the time of the shutdown", w.node(nodeName).Annotations)
	}
	w.restart()
	w.round(t.Context())
	w.wantOff(nodeName)
}

func TestGuestWithoutTools(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.fail("ShutdownGuest", &types.ToolsUnavailable{}, 0)
	w.round(t.Context())
	w.wantOff(nodeName)
	w.wantEvents("VMware Tools do not run")
}

// When an earlier process asked, tools that are gone may say that the guest shuts down: it gets its time.
func TestToolsThatHaveGoneAfterRestart(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.deaf()
	w.round(t.Context())
	w.restart()
	w.fail("ShutdownGuest", &types.ToolsUnavailable{}, 0)
	w.round(t.Context())
	w.wantOn(nodeName)
}

func TestGuestThatDoesNotShutDown(t *testing.T) {
	w := newWorld(t)
	w.ready()
	asked := w.deaf()
	for range 3 {
		w.round(t.Context())
	}
	if *asked != 1 {
		t.Errorf("the guest was asked %d times, want once", *asked)
	}
	w.clock.Step(DefaultShutdownTimeout - time.Second)
	w.restart()
	w.round(t.Context())
	w.wantOn(nodeName)
	w.clock.Step(time.Second)
	w.round(t.Context())
	w.wantOff(nodeName)
	w.round(t.Context())
	w.wantEvents("GuestShutdown", "GuestShutdown", "did not shut down within 2m0s")
}

// deafMachine has a guest that does not obey.
type deafMachine struct {
	*simulator.VirtualMachine
	asked *int
}

// ShutdownGuest implements the method of vCenter.
func (m *deafMachine) ShutdownGuest(*simulator.Context, *types.ShutdownGuest) soap.HasFault {
	*m.asked++
	return &methods.ShutdownGuestBody{Res: &types.ShutdownGuestResponse{}}
}

func (w *world) deaf() *int {
	machine := w.model.Map().FindByName(nodeName, w.machines()).(*simulator.VirtualMachine)
	asked := 0
	w.model.Map().Put(&deafMachine{machine, &asked})
	return &asked
}

func (w *world) machines() []types.ManagedObjectReference {
	var all []types.ManagedObjectReference
	for _, machine := range w.model.Map().All("VirtualMachine") {
		all = append(all, machine.Reference())
	}
	return all
}

// ready has the node drained, with its host in maintenance.
func (w *world) ready() {
	w.t.Helper()
	w.label(nodeName, RebootOKLabel, "true")
	w.hostInMaintenance(true)
	w.round(w.t.Context())
	w.drained(nodeName)
}

func TestAlarm(t *testing.T) {
	w := newWorld(t)
	w.label(nodeName, RebootOKLabel, "true")
	w.trigger("Host connection", "alarm-1")
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "false")
	w.trigger(alarm, "alarm-2")
	w.hostInMaintenance(true)
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "alarm")
	if hold := w.hold(nodeName); hold == nil || ptr.Deref(hold.Spec.Drain.GracePeriodSeconds, 0) != 1 {
		t.Errorf("got hold %+v, want a grace period of 1s", hold)
	}
}

// trigger has an alarm be triggered on the host.
func (w *world) trigger(name, id string) {
	reference := types.ManagedObjectReference{Type: "Alarm", Value: id}
	made := &simulator.Alarm{}
	made.Self, made.Info.Name, made.Info.Alarm = reference, name, reference
	w.model.Map().Put(made)
	host := w.model.Map().Any("HostSystem").(*simulator.HostSystem)
	host.TriggeredAlarmState = append(host.TriggeredAlarmState, types.AlarmState{Alarm: reference})
}

// What is wrong with one node stops no other: each case is a second node, which comes first.
func TestBadNodeStopsNoOther(t *testing.T) {
	tests := map[string]struct {
		name   string
		labels map[string]string
		want   string
	}{
		"no zone":        {name: "A", labels: map[string]string{corev1.LabelTopologyZone: ""}, want: "its vCenter is not known"},
		"unknown host":   {name: "A", labels: map[string]string{HostLabel: "nowhere"}, want: "vCenter has 0 hosts with the name nowhere"},
		"no credentials": {name: "A", labels: map[string]string{corev1.LabelTopologyZone: "eu-1b"}},
		"no machine":     {name: "A", labels: map[string]string{RebootOKLabel: "true"}, want: "vCenter has 0 virtual machines with the name A"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addNode(test.name, test.labels)
			w.label(nodeName, RebootOKLabel, "true")
			w.hostInMaintenance(true)
			w.round(t.Context())
			w.drained(nodeName)
			if w.hold(test.name) != nil {
				w.drained(test.name)
			}
			w.round(t.Context())
			w.wantOff(nodeName)
			got := ""
			for len(w.events.Events) > 0 {
				got += <-w.events.Events
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got the events %q, want %q", got, test.want)
			}
		})
	}
}

func TestZoneOfOlderLabel(t *testing.T) {
	w := newWorld(t)
	w.label(nodeName, corev1.LabelTopologyZone, "")
	w.label(nodeName, corev1.LabelFailureDomainBetaZone, "eu-1a")
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "false")
}

// While a vCenter cannot be asked, its nodes stay as they are.
func TestVCenterThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.fail("CreateContainerView", &types.SystemErrorFault{}, 0)
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "true")
	w.wantHeld(nodeName, true)
	w.wantOn(nodeName)
	w.wantEvents("could not look at each HostSystem")
}

// One session is used until vCenter ends it, and ended when this process does not lead any more.
func TestSessions(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.round(t.Context())
	}
	if got := w.sessionCount(); got != 1 {
		t.Errorf("%d sessions after three rounds, want 1", got)
	}
	w.fail("CreateContainerView", &types.NotAuthenticated{}, 1)
	w.hostInMaintenance(true)
	w.round(t.Context())
	w.wantLabel(nodeName, MaintenanceLabel, "true")

	before := w.sessionCount()
	w.sessions.logoutTimeout = time.Minute // the machine may be slow
	w.sessions.close(t.Context())
	if got := w.sessionCount(); got != before-1 {
		t.Errorf("%d sessions after the end, want %d", got, before-1)
	}
}

// sessionCount is how often the integration is logged in.
func (w *world) sessionCount() int {
	w.t.Helper()
	client, err := govmomi.NewClient(w.t.Context(), w.server.URL, true)
	if err != nil {
		w.t.Fatal(err)
	}
	var manager mo.SessionManager
	if err := client.RetrieveOne(w.t.Context(), *client.ServiceContent.SessionManager, []string{"sessionList"}, &manager); err != nil {
		w.t.Fatal(err)
	}
	count := 0
	for _, session := range manager.SessionList {
		if session.UserAgent == userAgent {
			count++
		}
	}
	return count
}

func TestErrorsHaveNoCredentials(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.restart()
	w.writeCredentials("a", username, "wr0ng")
	w.round(t.Context())
	event := <-w.events.Events
	if !strings.Contains(event, "could not log in at the vCenter of zone a") || strings.Contains(event, "wr0ng") || strings.Contains(event, username) {
		t.Errorf("got event %q", event)
	}
}

// Whoever removes the record takes the node over.
func TestHoldWithoutRecordIsGivenBack(t *testing.T) {
	w := newWorld(t)
	w.ready()
	node := w.node(nodeName)
	delete(node.Annotations, InitiatedAnnotation)
	delete(node.Labels, RebootOKLabel)
	if _, err := w.kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.round(t.Context())
	w.wantHeld(nodeName, false)
	w.wantOn(nodeName)
}

// The next shutdown after a takeover has its own time.
func TestTimeOfShutdownThatWasTakenOver(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.deaf()
	w.round(t.Context())
	node := w.node(nodeName)
	delete(node.Annotations, InitiatedAnnotation)
	if _, err := w.kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.clock.Step(time.Hour)
	w.round(t.Context())
	w.drained(nodeName)
	w.round(t.Context())
	w.wantOn(nodeName)
}

func TestHoldOfNodeThatIsGoneIsGivenBack(t *testing.T) {
	w := newWorld(t)
	w.ready()
	if err := w.kube.CoreV1().Nodes().Delete(t.Context(), nodeName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.round(t.Context())
	w.wantHeld(nodeName, false)
}

// A process that was paused does nothing more when another one leads.
func TestFence(t *testing.T) {
	w := newWorld(t)
	w.ready()
	w.fenced.Store(true)
	w.round(t.Context())
	w.fenced.Store(false)
	w.wantOn(nodeName)
	w.round(t.Context())
	w.wantOff(nodeName)
}

// A drain of another node that had the name says nothing.
func TestDrainOfFormerNode(t *testing.T) {
	w := newWorld(t)
	w.ready()
	hold := w.hold(nodeName)
	hold.Status.NodeUID = "former"
	if _, err := w.maintenance.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(t.Context(), hold, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.round(t.Context())
	w.wantOn(nodeName)
}
