// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The actions of eviction.
const (
	cordonAction   = "cordon"
	drainAction    = "drain"
	uncordonAction = "uncordon"
)

func eviction(p *plugin, made *v1beta1.ProfileTrigger) {
	switch action := p.config.text("action", required); action {
	case cordonAction:
		made.Hold = &v1beta1.HoldTrigger{Stage: v1beta1.StageCordon}
		p.dropDrainKeys()
	case drainAction:
		made.Hold = &v1beta1.HoldTrigger{Stage: v1beta1.StageDrain, Drain: p.drain()}
	case uncordonAction:
		made.Release = &v1beta1.ReleaseTrigger{}
		p.config.say("action", Changed, "gives back what the profile itself has taken out of service; "+
			"a node that was cordoned before, or by somebody else, stays so")
		p.dropDrainKeys()
	case "":
	default:
		p.config.say("action", Unmapped, "must be cordon, uncordon or drain")
	}
}

func (p *plugin) dropDrainKeys() {
	for _, key := range []string{"deletionTimeout", "evictionTimeout", "forceEviction"} {
		if p.config.take(key) != nil {
			p.config.say(key, Dropped, "is only for drains")
		}
	}
}

// thirtyDaysSeconds is how long a drain may take at most.
const thirtyDaysSeconds = 30 * 24 * 60 * 60

// defaultEvictionSeconds is what the controller takes for evictionTimeout.
const defaultEvictionSeconds = 600

func (p *plugin) drain() *v1beta1.DrainSpec {
	drain := &v1beta1.DrainSpec{}
	if seconds := p.config.seconds("evictionTimeout", optional, thirtyDaysSeconds); seconds > 0 {
		drain.TimeoutSeconds = &seconds
		p.config.say("evictionTimeout", Changed, "after it, the drain is reported as failed and goes on; the controller ignores it")
	}
	if p.config.text("deletionTimeout", optional) != "" {
		p.config.say("deletionTimeout", Dropped, "the controller ignores it, too: each pod has its own grace period")
	}
	if p.config.flag("forceEviction", optional) {
		p.force(drain)
	}
	if drain.TimeoutSeconds == nil && drain.OnTimeout == "" {
		return nil
	}
	return drain
}

// force translates forceEviction, which has once deleted what could not be evicted.
func (p *plugin) force(drain *v1beta1.DrainSpec) {
	if !p.options.AllowForce {
		drain.OnTimeout = v1beta1.OnTimeoutReport
		p.config.say("forceEviction", Changed, "no pod is deleted regardless of its disruption budgets, as with the controller's later versions; "+
			"--allow-force has such pods deleted after evictionTimeout")
		return
	}
	drain.OnTimeout = v1beta1.OnTimeoutDelete
	if drain.TimeoutSeconds == nil {
		seconds := int64(defaultEvictionSeconds)
		drain.TimeoutSeconds = &seconds
	}
	p.config.say("forceEviction", Changed, fmt.Sprintf("after %d seconds, pods are deleted regardless of their disruption budgets; "+
		"whoever applies the profile needs the verb force on nodes/maintenance", *drain.TimeoutSeconds))
}
