// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	hypervisorVersion  = "kvm.cloud.sap/v1"
	hypervisorResource = "hypervisors"
	nameOfNode         = "node.metadata.name"
)

// The flags and texts of a Hypervisor, as its definition of 2026 has them. True is a flag. The controller refuses any other
// field, and cannot read lists and numbers from its configuration.
var (
	hypervisorSpec = map[string]bool{
		"reboot": true, "evacuateOnReboot": true, "lifecycleEnabled": true, "skipTests": true, "highAvailability": true,
		"createCertManagerCertificate": true, "installCertificate": true, "version": false, "maintenance": false, "maintenanceReason": false,
	}
	hypervisorStatus = map[string]bool{
		"evicted": true, "libVirtVersion": false, "hypervisorVersion": false, "hypervisorId": false, "serviceId": false,
		"internalIp": false, "specHash": false,
	}
)

func checkHypervisor(p *plugin, made *v1beta1.ProfileCheck) {
	var parts []string
	for _, f := range p.hypervisorFields("status", hypervisorStatus) {
		parts = append(parts, fmt.Sprintf("object.?status.?%s.orValue(%s) == %s", f.name, f.zero, f.value))
	}
	if len(parts) == 0 {
		parts = []string{"true"}
	}
	made.Object = hypervisorCheck(strings.Join(parts, " && "))
	p.checkExpression("config", objectExpression, made.Object.Expression)
}

func hypervisorCondition(p *plugin, made *v1beta1.ProfileCheck) {
	made.Object = hypervisorCheck(fmt.Sprintf("object.?status.?conditions.orValue([]).exists(c, c.type == %s && c.status == %s)",
		strconv.Quote(p.config.valid("type", required, labelKey)), strconv.Quote(string(p.conditionStatus()))))
	p.checkExpression("type", objectExpression, made.Object.Expression)
}

func hypervisorCheck(expression string) *v1beta1.ObjectCheck {
	return &v1beta1.ObjectCheck{
		APIVersion: hypervisorVersion, Resource: hypervisorResource, NameExpression: nameOfNode, Expression: expression,
		Missing: v1beta1.MissingError,
	}
}

func alterHypervisor(p *plugin, made *v1beta1.ProfileTrigger) {
	var parts []string
	for _, f := range p.hypervisorFields("spec", hypervisorSpec) {
		parts = append(parts, fmt.Sprintf("%s: %s", strconv.Quote(f.name), f.value))
	}
	if len(parts) == 0 {
		p.all.say("config", Unmapped, "must change a field: without one the trigger does nothing")
		return
	}
	made.PatchObject = &v1beta1.PatchObjectTrigger{
		APIVersion: hypervisorVersion, Resource: hypervisorResource, NameExpression: nameOfNode,
		PatchExpression: fmt.Sprintf(`{"spec": {%s}}`, strings.Join(parts, ", ")),
	}
	p.checkExpression("config", patchExpression, made.PatchObject.PatchExpression)
}

// hypervisorValue is a field of a Hypervisor, its value and what it is when it is not set, in CEL.
type hypervisorValue struct{ name, value, zero string }

// hypervisorFields reads all keys of the config, which are names of fields of a part of a Hypervisor.
func (p *plugin) hypervisorFields(part string, known map[string]bool) []hypervisorValue {
	var values []hypervisorValue
	for _, f := range p.config.fields {
		switch wrong := whyNoHypervisorField(f, part, known); {
		case wrong != "":
			p.config.take(f.name)
			p.config.say(f.name, Unmapped, wrong)
		case known[f.name]:
			values = append(values, hypervisorValue{f.name, strings.ToLower(p.config.text(f.name, optional)), "false"})
		default:
			values = append(values, hypervisorValue{f.name, strconv.Quote(p.config.text(f.name, optional)), `""`})
		}
	}
	return values
}

// whyNoHypervisorField says why the controller refuses a field; empty if it takes it.
func whyNoHypervisorField(f *field, part string, known map[string]bool) string {
	isFlag, isKnown := known[f.name]
	switch {
	case !isKnown:
		return fmt.Sprintf("is no flag or text in the %s of a Hypervisor, which has: %s", part, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	case isFlag && f.value.Tag != "!!bool":
		return "must be true or false: the controller refuses anything else"
	case !isFlag && (f.value.Kind != yaml.ScalarNode || f.value.Tag != "!!str"):
		return "must be a text: the controller refuses anything else"
	default:
		return ""
	}
}
