// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// auditMark is in each line of an audit log, and in few other lines.
var auditMark = []byte(`"audit.k8s.io/v1"`)

// nodeAnnotation of an audit event has the nodes of its holds, separated by commas.
const nodeAnnotation = v1beta1.GroupName + "/node"

// holdGroups are the groups that NodeMaintenances are served in.
var holdGroups = []string{v1beta1.GroupName, "nodemaintenance.medik8s.io", "nodemaintenance.kubevirt.io", "kubevirt.io"}

// Audit tells of a line of a log, if it is an audit line about maintenance or about the change of a node,
// and reports whether it is one.
func (s *Story) Audit(line []byte) bool {
	if !bytes.Contains(line, auditMark) {
		return false
	}
	var event auditv1.Event
	if json.Unmarshal(line, &event) != nil || !isTold(&event) {
		return false
	}
	if event.RequestReceivedTimestamp.Time.Before(s.AuditedSince) || s.audited[event.AuditID] {
		return true
	}
	if event.AuditID != "" && len(s.audited) < maxEntries {
		s.audited[event.AuditID] = true
	}
	s.request(&event)
	return true
}

// request tells of a request. Of a node that is not in maintenance, only requests for maintenance are told.
func (s *Story) request(event *auditv1.Event) {
	ref, hold := event.ObjectRef, ""
	nodes := strings.Split(event.Annotations[nodeAnnotation], ",")
	if ref.Resource == "nodes" {
		nodes = []string{ref.Name}
		if ref.APIGroup == "" && s.nodes[ref.Name] == "" {
			return
		}
	} else {
		hold = possible(ref.Name)
	}
	for _, node := range nodes {
		node = possible(node)
		if anyHold := (holdKey{name: hold}); hold != "" && node != "" && s.nodeOf[anyHold] == "" {
			s.nodeOf[anyHold] = node
		}
		s.add(entry{at: event.RequestReceivedTimestamp.Time, node: node, hold: hold, source: fromAudit, text: auditText(event)})
	}
}

// isTold reports whether a request changed, or tried to change, maintenance or a node itself.
func isTold(event *auditv1.Event) bool {
	ref := event.ObjectRef
	if ref == nil || event.Stage != auditv1.StageResponseComplete || slices.Contains([]string{"get", "list", "watch"}, event.Verb) {
		return false
	}
	switch ref.Resource {
	case "nodemaintenances":
		return ref.Subresource == "" && slices.Contains(holdGroups, ref.APIGroup)
	case "nodes":
		return ref.APIGroup == v1beta1.GroupName || ref.APIGroup == "" && ref.Subresource == ""
	default:
		return false
	}
}

func auditText(event *auditv1.Event) string {
	ref := event.ObjectRef
	what := strings.TrimRight(ref.Resource+"/"+ref.Name, "/")
	if ref.Subresource != "" {
		what += "/" + ref.Subresource
	}
	text := fmt.Sprintf("%s: %s %s", event.User.Username, event.Verb, what)
	if event.ImpersonatedUser != nil {
		text += " as " + event.ImpersonatedUser.Username
	}
	if event.ResponseStatus != nil && event.ResponseStatus.Code >= 400 {
		text += fmt.Sprintf(", refused with %d", event.ResponseStatus.Code)
	}
	if reason := event.Annotations[v1beta1.GroupName+"/reason"]; reason != "" {
		text += ", reason: " + reason
	}
	return text
}
