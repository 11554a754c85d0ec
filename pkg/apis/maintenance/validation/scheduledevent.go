// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxIDBytes is more than ids of events and machines need.
const maxIDBytes = 253

// instanceID is what the last part of a provider id looks like.
var instanceID = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9_.:]*$`)

var (
	eventStates   = []v1beta1.ScheduledEventState{v1beta1.EventScheduled, v1beta1.EventCanceled, v1beta1.EventCompleted}
	machineGroups = []string{v1beta1.OpenShiftMachineGroup, v1beta1.ClusterAPIGroup}
)

// ValidateScheduledEvent checks a new object. It does not check the status, since the server sets it.
func ValidateScheduledEvent(event *v1beta1.ScheduledEvent) field.ErrorList {
	// If the object is too large, return only that: errors about its parts could be very long.
	if errs := validateEventSize(event, &v1beta1.ScheduledEvent{}); len(errs) > 0 {
		return errs
	}
	metadataPath, specPath := field.NewPath("metadata"), field.NewPath("spec")
	allErrs := apivalidation.ValidateObjectMeta(&event.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, metadataPath)
	if event.ResourceVersion != "" {
		allErrs = append(allErrs, field.Forbidden(metadataPath.Child("resourceVersion"), "must not be set on a new object"))
	}
	spec := &event.Spec
	allErrs = append(allErrs, validateName(spec.Source, apivalidation.NameIsDNSLabel, specPath.Child("source"))...)
	allErrs = append(allErrs, validateID(spec.EventID, specPath.Child("eventID"))...)
	allErrs = append(allErrs, validateEventCode(spec.Code, specPath.Child("code"))...)
	allErrs = append(allErrs, validateMachine(spec, specPath)...)
	return append(allErrs, validateAnnouncement(spec, specPath)...)
}

// validateEventSize never refuses an update that makes an event no larger.
func validateEventSize(newEvent, oldEvent *v1beta1.ScheduledEvent) field.ErrorList {
	withoutStatus := func(event *v1beta1.ScheduledEvent) v1beta1.ScheduledEvent {
		return v1beta1.ScheduledEvent{ObjectMeta: event.ObjectMeta, Spec: event.Spec}
	}
	return validateBytes(withoutStatus(newEvent), withoutStatus(oldEvent), maxObjectBytes, field.NewPath("object"))
}

// validateMachine checks what says which node is meant.
func validateMachine(spec *v1beta1.ScheduledEventSpec, path *field.Path) field.ErrorList {
	if spec.NodeName == "" && spec.InstanceID == "" && spec.MachineRef == nil {
		return field.ErrorList{field.Required(path, "must say which node is meant: nodeName, instanceID or machineRef")}
	}
	var allErrs field.ErrorList
	if spec.NodeName != "" {
		allErrs = append(allErrs, ValidateNodeName(spec.NodeName, path.Child("nodeName"))...)
	}
	allErrs = append(allErrs, validateInstanceID(spec.InstanceID, path.Child("instanceID"))...)
	if spec.MachineRef != nil {
		allErrs = append(allErrs, validateMachineReference(spec.MachineRef, path.Child("machineRef"))...)
	}
	return allErrs
}

func validateInstanceID(id string, path *field.Path) field.ErrorList {
	switch {
	case id == "" || len(id) <= maxIDBytes && instanceID.MatchString(id):
		return nil
	case len(id) > maxIDBytes:
		return field.ErrorList{field.TooLong(path, "", maxIDBytes)}
	default:
		return field.ErrorList{field.Invalid(path, quoted(id),
			`must be the last part of a node's spec.providerID, such as i-0abcd1234, without "/": letters, digits, "-", "_", "." and ":"`)}
	}
}

func validateMachineReference(machine *v1beta1.MachineReference, path *field.Path) field.ErrorList {
	allErrs := validateEnum(machine.APIGroup, machineGroups, path.Child("apiGroup"))
	allErrs = append(allErrs, validateName(machine.Namespace, apivalidation.NameIsDNSLabel, path.Child("namespace"))...)
	return append(allErrs, validateName(machine.Name, apivalidation.NameIsDNSSubdomain, path.Child("name"))...)
}

// validateID checks an id that need not be set.
func validateID(id string, path *field.Path) field.ErrorList {
	if len(id) > maxIDBytes {
		return field.ErrorList{field.TooLong(path, "", maxIDBytes)}
	}
	return validateText(id, path)
}

// validateEventCode checks the form of a code. Clouds have codes that the server does not know.
func validateEventCode(code string, path *field.Path) field.ErrorList {
	switch {
	case code == "":
		return field.ErrorList{field.Required(path, "must be what happens to the machine, such as "+v1beta1.CodeSystemReboot)}
	case len(code) > validation.DNS1123LabelMaxLength:
		return field.ErrorList{field.TooLong(path, "", validation.DNS1123LabelMaxLength)}
	case len(apivalidation.NameIsDNSLabel(code, false)) > 0:
		return field.ErrorList{field.Invalid(path, quoted(code), fmt.Sprintf(
			`must have only lower-case letters, digits and "-", with a letter or a digit at both ends, such as %s`, v1beta1.CodeSystemReboot))}
	}
	return nil
}

// validateAnnouncement checks the fields that an update can change.
func validateAnnouncement(spec *v1beta1.ScheduledEventSpec, path *field.Path) field.ErrorList {
	allErrs := validateTime(spec.NotBefore, path.Child("notBefore"))
	allErrs = append(allErrs, validateTime(spec.NotAfter, path.Child("notAfter"))...)
	allErrs = append(allErrs, validateTime(spec.Deadline, path.Child("deadline"))...)
	if spec.NotBefore != nil && spec.NotAfter != nil && spec.NotAfter.Before(spec.NotBefore) {
		allErrs = append(allErrs, field.Invalid(path.Child("notAfter"), spec.NotAfter, "must not be before notBefore"))
	}
	if spec.NotBefore != nil && spec.Deadline != nil && spec.Deadline.Before(spec.NotBefore) {
		allErrs = append(allErrs, field.Invalid(path.Child("deadline"), spec.Deadline, "must not be before notBefore"))
	}
	allErrs = append(allErrs, validateReasonLength(spec.Description, path.Child("description"))...)
	allErrs = append(allErrs, validateText(spec.Description, path.Child("description"))...)
	return append(allErrs, validateEnum(spec.State, eventStates, path.Child("state"))...)
}
