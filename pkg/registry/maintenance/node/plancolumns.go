// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// PlanTable prints the plan of a drain, one row for each pod. It is a rest.TableConvertor.
type PlanTable struct{}

var planHeadings = []metav1.TableColumnDefinition{
	{Name: "Pod", Type: "string", Format: "name", Description: "Pod of the node"},
	{Name: "Action", Type: "string", Description: "What a drain would do with it"},
	{Name: "Turn", Type: "string", Description: "When it goes: each turn begins when the pods of the one before are gone"},
	{Name: "Grace", Type: "string", Description: "How long it gets to stop"},
	{Name: "Blocked By", Type: "string", Description: "What keeps it from leaving now; forever where waiting does not help"},
	{Name: "Budgets", Type: "string", Priority: 1, Description: "Disruption budgets that select it: allowed, healthy of expected, needed"},
	{Name: "Message", Type: "string", Priority: 1, Description: "Why, what its eviction loses or overrides, and what to do about what blocks it"},
}

// ConvertToTable makes a row of each pod.
func (PlanTable) ConvertToTable(_ context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	plan, ok := object.(*v1beta1.DrainPlan)
	if !ok {
		return nil, fmt.Errorf("could not print %T as the plan of a drain", object)
	}
	table := &metav1.Table{Rows: planRows(plan)}
	if options, ok := tableOptions.(*metav1.TableOptions); !ok || !options.NoHeaders {
		table.ColumnDefinitions = planHeadings
	}
	return table, nil
}

// planRows puts into each row, as its object, the plan with only the row's pod. Clients sort rows by
// their objects. With all pods in each object, the table would grow with the square of their number.
func planRows(plan *v1beta1.DrainPlan) []metav1.TableRow {
	listed := make([]sets.Set[string], 0, len(podLists(&plan.Status)))
	for _, list := range podLists(&plan.Status) {
		listed = append(listed, sets.New(*list...))
	}
	rows := make([]metav1.TableRow, 0, len(plan.Status.Pods))
	for i := range plan.Status.Pods {
		pod, own := &plan.Status.Pods[i], *plan
		own.Status.Pods = []v1beta1.PlannedPod{*pod}
		for i, list := range podLists(&own.Status) {
			*list = onlyIfIn(listed[i], pod.Pod)
		}
		rows = append(rows, metav1.TableRow{Cells: planCells(pod), Object: runtime.RawExtension{Object: &own}})
	}
	return rows
}

// podLists are the lists of names of pods in a plan.
func podLists(status *v1beta1.DrainPlanStatus) []*[]string {
	return []*[]string{
		&status.UnmanagedPods, &status.EmptyDirPods, &status.DoNotDisruptPods, &status.MislabeledPods, &status.ReturningPods,
		&status.UnschedulablePods,
	}
}

func onlyIfIn(pods sets.Set[string], pod string) []string {
	if pods.Has(pod) {
		return []string{pod}
	}
	return nil
}

func planCells(pod *v1beta1.PlannedPod) []any {
	turn, grace, blockedBy := resource.None, resource.None, resource.None
	if pod.Turn > 0 {
		turn = fmt.Sprint(pod.Turn)
	}
	if pod.GracePeriodSeconds != nil {
		grace = fmt.Sprintf("%ds", *pod.GracePeriodSeconds)
	}
	if pod.Blocker != nil {
		blockedBy = blockerCell(pod.Blocker)
	}
	return []any{pod.Pod, string(pod.Action), turn, grace, blockedBy, budgetsCell(pod.Budgets), messageCell(pod)}
}

// messageCell has what blocks the pod, and then what is to be known about its action.
func messageCell(pod *v1beta1.PlannedPod) string {
	switch {
	case pod.Blocker == nil:
		return pod.Message
	case pod.Message == "" || strings.Contains(pod.Blocker.Message, pod.Message):
		return pod.Blocker.Message
	default:
		return pod.Blocker.Message + "; " + pod.Message
	}
}

func blockerCell(blocker *v1beta1.DrainBlocker) string {
	cell := nodemaintenance.Obstacle(*blocker)
	if blocker.Permanent {
		cell += " (forever)"
	}
	return cell
}

func budgetsCell(budgets []v1beta1.PlannedBudget) string {
	if len(budgets) == 0 {
		return resource.None
	}
	cells := make([]string, 0, len(budgets))
	for _, b := range budgets {
		cells = append(cells, fmt.Sprintf("%s: %d allowed, %d of %d healthy, %d needed", b.Name, b.DisruptionsAllowed, b.CurrentHealthy, b.ExpectedPods, b.DesiredHealthy))
	}
	return strings.Join(cells, "; ")
}
