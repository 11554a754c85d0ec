// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"cmp"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// maxWaitingRunes keeps a row on one line of a terminal.
	maxWaitingRunes = 60
	// timeLayout is how times are shown, in UTC.
	timeLayout = "2006-01-02 15:04 MST"
	// terminating is the word that kubectl shows for objects that are being deleted but are not gone.
	terminating = "Terminating"
)

// table is what kubectl prints for ScheduledEvents.
var table = resource.Table[*v1beta1.ScheduledEvent]{
	resource.NewColumn("Name", "name", "Name of the ScheduledEvent", 0, func(e *v1beta1.ScheduledEvent) any { return e.Name }),
	resource.NewColumn("Node", "", "Node that the event is about", 0, func(e *v1beta1.ScheduledEvent) any {
		return cmp.Or(e.Status.NodeName, e.Spec.NodeName, resource.None)
	}),
	resource.NewColumn("Code", "", "What happens to the machine", 0, func(e *v1beta1.ScheduledEvent) any { return e.Spec.Code }),
	resource.NewColumn("Action", "", "What the server does: Drain, Replace or Ignore", 0, func(e *v1beta1.ScheduledEvent) any {
		return cmp.Or(string(e.Status.Action), resource.Unknown)
	}),
	resource.NewColumn("Phase", "", "How far the server is", 0, phaseCell),
	resource.NewColumn("Begins", "", "When the event happens at the earliest, in UTC", 0, func(e *v1beta1.ScheduledEvent) any { return timeCell(e.Spec.NotBefore) }),
	resource.NewColumn("Latest Start", "", "When the drain has to start to be done in time, in UTC", 0, func(e *v1beta1.ScheduledEvent) any {
		return timeCell(e.Status.LatestStartTime)
	}),
	resource.NewColumn("Waiting For", "", "What a person has to do something about, or else what the server waits for, cut to fit", 0, waitingCell),
	resource.NewAgeColumn[*v1beta1.ScheduledEvent]("Time since the ScheduledEvent was created", 0),
	resource.NewColumn("Source", "", "Who announced the event", resource.Wide, func(e *v1beta1.ScheduledEvent) any { return e.Spec.Source }),
	resource.NewColumn("Instance", "", "Id of the machine at the cloud", resource.Wide, func(e *v1beta1.ScheduledEvent) any { return cmp.Or(e.Spec.InstanceID, resource.None) }),
	resource.NewColumn("Machine", "", "Machine of OpenShift or Cluster API, as namespace/name", resource.Wide, machineCell),
	resource.NewColumn("Maintenance", "", "NodeMaintenance that serves the event", resource.Wide, func(e *v1beta1.ScheduledEvent) any {
		return cmp.Or(e.Status.Maintenance, resource.None)
	}),
	resource.NewColumn("Outcome", "", "How the event ended", resource.Wide, func(e *v1beta1.ScheduledEvent) any { return cmp.Or(e.Status.Outcome, resource.None) }),
}

func phaseCell(event *v1beta1.ScheduledEvent) any {
	if event.DeletionTimestamp != nil {
		return terminating
	}
	return cmp.Or(string(event.Status.Phase), resource.Unknown)
}

// waitingCell shows first that a person has to do something, and why.
func waitingCell(event *v1beta1.ScheduledEvent) any {
	waits := event.Status.WaitingFor
	if c := apimeta.FindStatusCondition(event.Status.Conditions, v1beta1.ConditionBlocked); c != nil && c.Status == metav1.ConditionTrue {
		waits = c.Reason + ": " + c.Message
	}
	return cmp.Or(onOneLine(waits, maxWaitingRunes), resource.None)
}

func timeCell(at *metav1.Time) any {
	if at == nil {
		return resource.None
	}
	return at.UTC().Format(timeLayout)
}

// machineCell shows the machine that is replaced, if one was found; else the one that the spec names.
func machineCell(event *v1beta1.ScheduledEvent) any {
	switch replacement, named := event.Status.Replacement, event.Spec.MachineRef; {
	case replacement != nil:
		return replacement.Machine.Namespace + "/" + replacement.Machine.Name
	case named != nil:
		return named.Namespace + "/" + named.Name
	default:
		return resource.None
	}
}

// onOneLine is the text with so many runes at most.
func onOneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-3]) + "..."
}
