// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
)

// celText is a kind of expressions of CEL.
type celText struct {
	validate func(string) error
	most     int
	example  string
}

var (
	nodeExpression       = celText{expression.Node.Validate, v1beta1.MaxExpressionBytes, `node.status.nodeInfo.kernelVersion.startsWith("6.")`}
	objectExpression     = celText{expression.Object.Validate, v1beta1.MaxExpressionBytes, "object.status.ready"}
	objectsExpression    = celText{expression.Objects.Validate, v1beta1.MaxExpressionBytes, "objects.all(o, o.status.ready)"}
	prometheusExpression = celText{expression.Prometheus.Validate, v1beta1.MaxExpressionBytes, "value < 0.5"}
	httpExpression       = celText{expression.HTTP.Validate, v1beta1.MaxExpressionBytes, "response.status == 200"}
	nameExpression       = celText{expression.Name.Validate, v1beta1.MaxNameExpressionBytes, "node.metadata.name"}
	patchExpression      = celText{expression.Patch.Validate, v1beta1.MaxExpressionBytes, `{"spec": {"paused": true}}`}
)

func validateExpression(text string, kind celText, path *field.Path) field.ErrorList {
	if strings.TrimSpace(text) == "" {
		return field.ErrorList{field.Required(path, "must be an expression of CEL, such as "+kind.example)}
	}
	return validateProgram(text, kind.most, path, kind.validate)
}

// validateProgram checks a text that is compiled. Its error says where it is wrong, and what would be right, so the error
// here quotes only the beginning.
func validateProgram(text string, most int, path *field.Path, validate func(string) error) field.ErrorList {
	if len(text) > most {
		return field.ErrorList{field.TooLong(path, "", most)}
	}
	if err := validate(text); err != nil {
		return field.ErrorList{field.Invalid(path, quoted(text), err.Error())}
	}
	return nil
}

func checkChain(chain string, checks []string) error {
	_, err := expression.Parse(chain, checks)
	return err
}

// validateCheckName refuses the names that a chain could not name.
func validateCheckName(name string, path *field.Path) field.ErrorList {
	if !expression.Reserved(name) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, name, "is a reserved word of CEL, which chains cannot name: use another name, such as "+name+"_")}
}

func validateTemplate(template string, path *field.Path) field.ErrorList {
	if strings.TrimSpace(template) == "" {
		return field.ErrorList{field.Required(path, "must be a template, such as {{ .Node.metadata.name }} is {{ .State }}")}
	}
	return validateProgram(template, v1beta1.MaxTemplateBytes, path, func(text string) error {
		_, err := message.Parse(text, message.Plain)
		return err
	})
}
