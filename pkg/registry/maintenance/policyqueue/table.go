// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package policyqueue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var headings = []metav1.TableColumnDefinition{
	{Name: "Position", Type: "integer", Description: "Place in the queue, from 1; NodeMaintenances of the same node have the same"},
	{Name: "Name", Type: "string", Format: "name", Description: "NodeMaintenance that waits"},
	{Name: "Node", Type: "string", Description: "Node that it is to take out of service"},
	{Name: "Priority", Type: "integer", Description: "Its spec.priority"},
	{Name: "Waiting For", Type: "string", Description: "Why it waits, for this policy and others"},
	{Name: "Earliest", Type: "string", Description: "Time before which it does not start; it may start later"},
	{Name: "Age", Type: "string", Description: "Time since it was created"},
	{Name: "Requestor", Type: "string", Priority: 1, Description: "User who created it"},
	{Name: "Message", Type: "string", Priority: 1, Description: "What it waits for, with the numbers"},
}

// table prints a queue, one row for each NodeMaintenance. It is a rest.TableConvertor.
type table struct{}

// ConvertToTable implements rest.TableConvertor.
func (table) ConvertToTable(_ context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	queue, ok := object.(*v1beta1.MaintenancePolicyQueue)
	if !ok {
		return nil, fmt.Errorf("could not print %T as a queue", object)
	}
	printed := &metav1.Table{Rows: make([]metav1.TableRow, 0, len(queue.Items))}
	for i := range queue.Items {
		own := *queue
		own.Items = queue.Items[i : i+1]
		printed.Rows = append(printed.Rows, metav1.TableRow{Cells: cells(&queue.Items[i]), Object: runtime.RawExtension{Object: &own}})
	}
	if options, ok := tableOptions.(*metav1.TableOptions); !ok || !options.NoHeaders {
		printed.ColumnDefinitions = headings
	}
	return printed, nil
}

func cells(waiting *v1beta1.QueuedMaintenance) []any {
	earliest := resource.None
	if waiting.EarliestStartTime != nil {
		earliest = waiting.EarliestStartTime.UTC().Format(time.RFC3339)
	}
	reasons, messages := reasonsOf(waiting.WaitingFor)
	return []any{
		int64(waiting.Position), waiting.Name, waiting.Node, int64(waiting.Priority), reasons, earliest,
		metatable.ConvertToHumanReadableDateType(waiting.Since), text.Escape(waiting.Requestor), text.Escape(messages),
	}
}

// reasonsOf are the reasons of all waits, with their policies, each once, and the messages.
func reasonsOf(waits []v1beta1.AdmissionWait) (reasons, messages string) {
	if len(waits) == 0 {
		return resource.None, resource.None
	}
	short, long := make([]string, 0, len(waits)), make([]string, 0, len(waits))
	for _, wait := range waits {
		reason := string(wait.Reason)
		if wait.Policy != "" {
			reason += " (" + wait.Policy + ")"
		}
		if long = append(long, wait.Message); !slices.Contains(short, reason) {
			short = append(short, reason)
		}
	}
	return strings.Join(short, ", "), strings.Join(long, "; ")
}
