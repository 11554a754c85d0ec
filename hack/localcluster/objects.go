// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// AppLabel is the label by which each of a workload's controllers and budgets
// selects its pods; its value is the controller's name.
const AppLabel = "app"

// Add adds any object, and sets its namespace to the workload's. WaitReady waits only for
// objects of the kinds that the other methods add.
func (w *Workload) Add(object object) *Workload {
	object.SetNamespace(w.namespace)
	w.objects = append(w.objects, object)
	return w
}

// Deployment adds a Deployment.
func (w *Workload) Deployment(name string, replicas int, options ...PodOption) *Workload {
	return w.Add(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(replicas)),
			Selector: selector(name),
			Template: podTemplate(name, options),
		},
	})
}

// StatefulSet adds a StatefulSet, whose pods are started all at once.
func (w *Workload) StatefulSet(name string, replicas int, options ...PodOption) *Workload {
	return w.Add(&appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.StatefulSetSpec{
			Replicas:            new(int32(replicas)),
			ServiceName:         name,
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector:            selector(name),
			Template:            podTemplate(name, options),
		},
	})
}

// DaemonSet adds a DaemonSet that tolerates every taint, as those of a real
// cluster's infrastructure do.
func (w *Workload) DaemonSet(name string, options ...PodOption) *Workload {
	return w.Add(&appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DaemonSetSpec{
			Selector: selector(name),
			Template: podTemplate(name, append(options, Tolerate(""))),
		},
	})
}

// Job adds a Job whose pods run in parallel. Without CompleteAfter, they never end. An
// evicted pod is recreated.
func (w *Workload) Job(name string, pods int, options ...PodOption) *Workload {
	template := podTemplate(name, options)
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return w.Add(&batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			Parallelism:  new(int32(pods)),
			Completions:  new(int32(pods)),
			BackoffLimit: new(int32(1000)),
			Template:     template,
		},
	})
}

// Pod adds a bare pod, which is not recreated.
func (w *Workload) Pod(name string, options ...PodOption) *Workload {
	template := podTemplate(name, options)
	template.Name = name
	return w.Add(&corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec})
}

// MirrorPod adds the mirror pod of a static pod on a node. Its name is that of the static
// pod and of the node.
func (w *Workload) MirrorPod(name, node string, options ...PodOption) *Workload {
	source := fmt.Sprintf("localcluster-%s-%s", w.namespace, name)
	options = append(options, OnNode(node), Tolerate(""), Annotation(corev1.MirrorPodAnnotationKey, source))
	return w.Pod(name+"-"+node, options...)
}

// BudgetOption changes a PodDisruptionBudget.
type BudgetOption func(*policyv1.PodDisruptionBudget)

// MinAvailable is how many pods, a number or a percentage, must stay healthy.
func MinAvailable(value string) BudgetOption {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.MinAvailable = new(intstr.Parse(value)) }
}

// MaxUnavailable is how many pods, a number or a percentage, may be unhealthy.
func MaxUnavailable(value string) BudgetOption {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.MaxUnavailable = new(intstr.Parse(value)) }
}

// UnhealthyPods says when a pod that is not healthy may be evicted.
func UnhealthyPods(policy policyv1.UnhealthyPodEvictionPolicyType) BudgetOption {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.UnhealthyPodEvictionPolicy = &policy }
}

// BudgetName gives the budget another name than that of its app, so that an app can have two.
func BudgetName(name string) BudgetOption {
	return func(b *policyv1.PodDisruptionBudget) { b.Name = name }
}

// Budget adds a PodDisruptionBudget for the pods of one of the workload's controllers.
func (w *Workload) Budget(app string, options ...BudgetOption) *Workload {
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector(app)},
	}
	for _, option := range options {
		option(budget)
	}
	return w.Add(budget)
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{AppLabel: app}}
}
