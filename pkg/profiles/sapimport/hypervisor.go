// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"regexp"
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

// hypervisorField is a field of a Hypervisor that a plugin names.
var hypervisorField = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

func checkHypervisor(p *plugin, made *v1beta1.ProfileCheck) {
	var parts []string
	for _, f := range p.hypervisorFields() {
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
	for _, f := range p.hypervisorFields() {
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

// hypervisorFields reads all keys of the config, which are names of fields.
func (p *plugin) hypervisorFields() []hypervisorValue {
	var values []hypervisorValue
	for _, f := range p.config.fields {
		if value, ok := p.hypervisorField(f); ok {
			values = append(values, value)
		}
	}
	return values
}

func (p *plugin) hypervisorField(f *field) (hypervisorValue, bool) {
	isFlag := f.value.Tag == "!!bool"
	isText := f.value.Kind == yaml.ScalarNode && f.value.Tag == "!!str"
	text := ""
	if isFlag || isText {
		text = p.config.text(f.name, optional)
	} else {
		p.config.take(f.name)
		p.config.say(f.name, Unmapped, "must be true, false or a text: the controller refuses anything else")
		return hypervisorValue{}, false
	}
	if !hypervisorField.MatchString(f.name) {
		p.config.say(f.name, Unmapped, "is no field of a Hypervisor")
		return hypervisorValue{}, false
	}
	if isFlag {
		return hypervisorValue{f.name, strings.ToLower(text), "false"}, true
	}
	return hypervisorValue{f.name, strconv.Quote(text), `""`}, true
}
