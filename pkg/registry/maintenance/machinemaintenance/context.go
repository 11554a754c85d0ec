// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machinemaintenance

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/scheduledevent"
)

// newRequest is the request of ctx for the MachineMaintenance of that name, in its namespace. The name may be empty.
func newRequest(ctx context.Context, name string) request {
	asked := request{namespace: genericapirequest.NamespaceValue(ctx), name: name}
	if asked.namespace != "" && name != "" {
		asked.event = managedv1alpha1.EventName(asked.namespace, name)
	}
	return asked
}

// ofEvents is the context of the same request for ScheduledEvents. The storage looks for what is meant in it, too: a
// watch in a namespace, or of another name, would see nothing.
func (r request) ofEvents(ctx context.Context) context.Context {
	ctx = genericapirequest.WithNamespace(withOwnWarnings(ctx), metav1.NamespaceNone)
	info, found := genericapirequest.RequestInfoFrom(ctx)
	if !found {
		return ctx
	}
	events := *info
	events.APIGroup, events.APIVersion, events.Resource = v1beta1.GroupName, v1beta1.SchemeGroupVersion.Version, scheduledevent.Plural
	events.Namespace, events.Name = "", r.event
	return genericapirequest.WithRequestInfo(ctx, &events)
}

// inOwnFields replaces the fields of ScheduledEvents by those of MachineMaintenances. What is longer comes first.
var inOwnFields = strings.NewReplacer(
	"spec.machineRef.name", "spec.machinelink",
	"spec.machineRef", "spec.machinelink",
	"spec.instanceID", "spec.machineid",
	"spec.eventID", "spec.eventid",
	"spec.code", "spec.eventcode",
	"spec.state", "spec.maintenancescheduled",
)

// warner is a warning.Recorder.
type warner func(agent, text string)

// AddWarning implements warning.Recorder.
func (w warner) AddWarning(agent, text string) { w(agent, text) }

// withOwnWarnings returns the context of a request whose warnings name the fields of MachineMaintenances.
func withOwnWarnings(ctx context.Context) context.Context {
	return warning.WithWarningRecorder(ctx, warner(func(agent, text string) {
		warning.AddWarning(ctx, agent, inOwnFields.Replace(text))
	}))
}

// inOwnWords returns an error about the ScheduledEvent as one about the MachineMaintenance.
func (r request) inOwnWords(err error) error {
	var refusal *apierrors.StatusError
	if !errors.As(err, &refusal) || refusal.ErrStatus.Details == nil || refusal.ErrStatus.Details.Group != v1beta1.GroupName {
		return err
	}
	status := *refusal.ErrStatus.DeepCopy()
	details := status.Details
	details.Group = managedv1alpha1.GroupName
	for _, names := range [][2]string{{scheduledevent.Plural, managedv1alpha1.Plural}, {"ScheduledEvent", managedv1alpha1.Kind}} {
		if details.Kind == names[0] {
			details.Kind = names[1]
		}
		status.Message = strings.ReplaceAll(status.Message, names[0]+"."+v1beta1.GroupName+" ", names[1]+"."+managedv1alpha1.GroupName+" ")
	}
	if r.event != "" && details.Name == r.event {
		details.Name = r.name
		status.Message = strings.ReplaceAll(status.Message, `"`+r.event+`"`, `"`+r.name+`"`)
	}
	status.Message = inOwnFields.Replace(status.Message)
	for i := range details.Causes {
		details.Causes[i].Field, details.Causes[i].Message = inOwnFields.Replace(details.Causes[i].Field), inOwnFields.Replace(details.Causes[i].Message)
	}
	return &apierrors.StatusError{ErrStatus: status}
}
