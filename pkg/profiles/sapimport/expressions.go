// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import "github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"

// What expressions of CEL are for.
var (
	objectExpression     = expression.Object.Validate
	patchExpression      = expression.Patch.Validate
	httpExpression       = expression.HTTP.Validate
	prometheusExpression = expression.Prometheus.Validate
)

// checkExpression reports an expression that admission would refuse.
func (p *plugin) checkExpression(key string, validate func(string) error, source string) {
	if p.config.broken(key) {
		return
	}
	if err := validate(source); err != nil {
		b := p.config
		if key == "config" {
			b = p.all
		}
		b.say(key, Unmapped, err.Error())
	}
}
