// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// triggerKinds are the 5 types of triggers.
var triggerKinds = map[string]kind[v1beta1.ProfileTrigger]{
	"alterLabel":      trigger(alterLabel),
	"alterAnnotation": trigger(alterAnnotation),
	"alterFinalizer":  trigger(alterFinalizer),
	"alterHypervisor": trigger(alterHypervisor),
	"eviction":        trigger(eviction),
}

// trigger is the kind of trigger that a function fills in.
func trigger(fill func(*plugin, *v1beta1.ProfileTrigger)) kind[v1beta1.ProfileTrigger] {
	return kind[v1beta1.ProfileTrigger]{translate: func(p *plugin) v1beta1.ProfileTrigger {
		made := v1beta1.ProfileTrigger{Name: p.name}
		fill(p, &made)
		return made
	}}
}

func alterLabel(p *plugin, made *v1beta1.ProfileTrigger) {
	key, value, remove := p.alteration(labelKey, labelValue)
	made.PatchNode = &v1beta1.PatchNodeTrigger{}
	if remove {
		made.PatchNode.RemoveLabels = []string{key}
		return
	}
	made.PatchNode.Labels = map[string]string{key: value}
}

func alterAnnotation(p *plugin, made *v1beta1.ProfileTrigger) {
	key, value, remove := p.alteration(annotationKey, nil)
	made.PatchNode = &v1beta1.PatchNodeTrigger{}
	if remove {
		made.PatchNode.RemoveAnnotations = []string{key}
		return
	}
	made.PatchNode.Annotations = map[string]string{key: value}
}

// alteration reads which key is set to which value, or removed.
func (p *plugin) alteration(validKey, validValue func(string) []string) (key, value string, remove bool) {
	key = p.alteredKey(validKey)
	value, remove = p.config.valid("value", optional, validValue), p.config.flag("remove", optional)
	if remove && value != "" {
		p.config.say("value", Dropped, "the key is removed, whatever its value")
	}
	return key, value, remove
}

func (p *plugin) alteredKey(valid func(string) []string) string {
	key := p.config.valid("key", required, valid)
	if v1beta1.IsOwnMark(key) {
		p.config.say("key", Unmapped, "is a mark of this server, which only it changes")
	}
	return key
}

func alterFinalizer(p *plugin, made *v1beta1.ProfileTrigger) {
	key := p.alteredKey(finalizer)
	made.PatchNode = &v1beta1.PatchNodeTrigger{}
	if p.config.flag("remove", optional) {
		made.PatchNode.RemoveFinalizers = []string{key}
		return
	}
	made.PatchNode.AddFinalizers = []string{key}
}

// finalizer wants a domain, as kube-apiserver does for nodes.
func finalizer(key string) []string {
	if !strings.Contains(key, "/") {
		return []string{"must have a domain, such as example.com/disk-in-use"}
	}
	return labelKey(key)
}
