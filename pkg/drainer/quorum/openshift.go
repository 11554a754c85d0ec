// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
)

const (
	// OpenShiftGroupVersion is served by every OpenShift, and by no other cluster.
	OpenShiftGroupVersion = "config.openshift.io/v1"

	etcdNamespace = "openshift-etcd"
	// etcdTimeout bounds the requests for one answer.
	etcdTimeout  = 5 * time.Second
	etcdPatience = "it is taken as soon as etcd can spare it"
)

// etcd is the etcd of an OpenShift. Its operator runs a guard pod on each of its nodes, which is Ready while
// the member there is healthy, with a disruption budget.
type etcd struct{ kube kubernetes.Interface }

// objection says what etcd has against the disruption of its member on a node; empty when nothing. A nil etcd
// has never anything.
func (e *etcd) objection(ctx context.Context, node string) (string, error) {
	if e == nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	budgets, err := e.kube.PolicyV1().PodDisruptionBudgets(etcdNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("could not list the disruption budgets of etcd in namespace %s: %w", etcdNamespace, err)
	}
	if len(budgets.Items) != 1 {
		return fmt.Sprintf("namespace %s must have one disruption budget for etcd, and has %d", etcdNamespace, len(budgets.Items)), nil
	}
	budget := &budgets.Items[0]
	if budget.Status.DisruptionsAllowed > 0 {
		return "", nil
	}
	guard, err := e.healthyGuard(ctx, node, budget)
	if guard == "" || err != nil {
		return "", err
	}
	return fmt.Sprintf("etcd would lose its quorum: the disruption budget %s/%s allows 0 disruptions, and its pod %s on the node is healthy",
		etcdNamespace, budget.Name, guard), nil
}

// healthyGuard is the name of the guard pod on the node that has not failed; empty when there is none, so that the
// member there is disrupted already.
func (e *etcd) healthyGuard(ctx context.Context, node string, budget *policyv1.PodDisruptionBudget) (string, error) {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil {
		return "", fmt.Errorf("could not read the selector of disruption budget %s/%s: %w", etcdNamespace, budget.Name, err)
	}
	pods, err := e.kube.CoreV1().Pods(etcdNamespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
	})
	if err != nil {
		return "", fmt.Errorf("could not list the pods of etcd on node %s: %w", node, err)
	}
	at := slices.IndexFunc(pods.Items, func(pod corev1.Pod) bool {
		return selector.Matches(labels.Set(pod.Labels)) && !failed(&pod)
	})
	if at < 0 {
		return "", nil
	}
	return pods.Items[at].Name, nil
}

// failed says whether a guard pod reports that its member is not healthy. A kubelet that is silent does not: the
// member may run still.
func failed(pod *corev1.Pod) bool {
	return !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status != corev1.ConditionFalse
	})
}
