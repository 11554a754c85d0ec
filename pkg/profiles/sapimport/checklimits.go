// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	yearSeconds = 365 * 24 * 60 * 60
	maxPlaces   = 100
	maxPool     = 253
)

// poolForm is that of a pool of staggers.
var poolForm = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

func maxMaintenance(p *plugin, made *v1beta1.ProfileCheck) {
	limit := &v1beta1.MaxInMaintenanceCheck{Max: p.config.number("max", required, 1, math.MaxInt32), GroupBy: p.groupBy()}
	if limit.Profile = p.config.text("profile", optional); limit.Profile != "" && !aliasForm.MatchString(limit.Profile) {
		p.config.say("profile", Unmapped, "no node can have a profile of this name")
	}
	if seconds := p.config.seconds("skipAfter", optional, yearSeconds); seconds > 0 {
		limit.SkipAfterSeconds = &seconds
	}
	made.MaxInMaintenance = limit
}

// groupBy reads the labels to group by, with the one of the key that they have replaced.
func (p *plugin) groupBy() []string {
	var labels []string
	for _, label := range p.config.texts("groupBy", optional) {
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if label := p.config.text("groupLabel", optional); label != "" {
		p.config.say("groupLabel", Changed, "is in groupBy")
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	for _, label := range labels {
		if problems := labelKey(label); len(problems) > 0 {
			p.config.say("groupBy", Unmapped, strings.Join(problems, "; "))
		}
	}
	if len(labels) > v1beta1.MaxGroupBy {
		p.config.say("groupBy", Unmapped, fmt.Sprintf("at most %d labels are possible", v1beta1.MaxGroupBy))
	}
	return labels
}

func stagger(p *plugin, made *v1beta1.ProfileCheck) {
	namespace, name := p.config.text("leaseNamespace", required), p.config.text("leaseName", required)
	made.Stagger = &v1beta1.StaggerCheck{Pool: namespace + "/" + name, Seconds: p.config.seconds("duration", required, yearSeconds)}
	if namespace != "" && name != "" {
		p.config.say("leaseName", Changed, fmt.Sprintf(
			"the pool %s instead of Leases, which can be deleted once the controller is gone", made.Stagger.Pool))
	}
	if len(made.Stagger.Pool) > maxPool || !poolForm.MatchString(made.Stagger.Pool) {
		p.config.say("leaseName", Unmapped, fmt.Sprintf("with the namespace, up to %d letters, digits, -, ., _ and / are possible", maxPool))
	}
	if p.config.take("parallel") != nil {
		parallel := p.config.number("parallel", optional, 1, maxPlaces)
		made.Stagger.Parallel = &parallel
	}
}
