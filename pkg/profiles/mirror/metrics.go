// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
)

// The metrics of the controller have its names and labels, for its dashboards and alerts.
var (
	shuffles = metrics.NewCounterVec(&metrics.CounterOpts{
		Name:           "maintenance_controller_pod_shuffle_count",
		Help:           "Pods of DaemonSets, Deployments, ReplicaSets and StatefulSets on nodes that went into maintenance. With --sap-mirrors.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"owner", "profile"})
	shufflesPerReplica = metrics.NewCounterVec(&metrics.CounterOpts{
		Name:           "maintenance_controller_pod_shuffles_per_replica",
		Help:           "The same, each pod divided by the replicas that its owner had then. With --sap-mirrors.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"owner", "profile"})
	failures = metrics.NewCounterVec(&metrics.CounterOpts{
		Name:           "maintenance_controller_transition_failure_count",
		Help:           "How often checks or triggers of a profile have begun to fail on a node. With --sap-mirrors.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"profile"})
)

var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(shuffles, shufflesPerReplica, failures)
})

// countShuffles counts the pods of a node that goes into maintenance.
func (t *term) countShuffles(ctx context.Context, node, profile string) {
	pods, err := t.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(), ResourceVersion: "0",
	})
	if err != nil {
		if ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Could not count the pods of a node that goes into maintenance", "node", node)
		}
		return
	}
	for i := range pods.Items {
		for _, owner := range pods.Items[i].OwnerReferences {
			if name, replicas := t.owner(ctx, &pods.Items[i], owner); name != "" {
				shuffles.WithLabelValues(name, profile).Inc()
				shufflesPerReplica.WithLabelValues(name, profile).Add(1 / float64(max(1, replicas)))
			}
		}
	}
}

// owner returns what the controller calls the owner of a pod, and how many replicas that has; empty for other owners,
// and for one that cannot be read.
func (t *term) owner(ctx context.Context, pod *corev1.Pod, owner metav1.OwnerReference) (name string, replicas int32) {
	apps := t.Kube.AppsV1()
	switch owner.Kind {
	case "DaemonSet":
		if set, err := apps.DaemonSets(pod.Namespace).Get(ctx, owner.Name, metav1.GetOptions{}); err == nil {
			return "daemon_set_" + set.Name, set.Status.NumberReady
		}
	case "StatefulSet":
		if set, err := apps.StatefulSets(pod.Namespace).Get(ctx, owner.Name, metav1.GetOptions{}); err == nil {
			return "stateful_set_" + set.Name, replicasOf(set.Spec.Replicas)
		}
	case "ReplicaSet":
		return t.replicaSet(ctx, pod.Namespace, owner.Name)
	}
	return "", 0
}

// replicaSet names the Deployment of a ReplicaSet, if it has one.
func (t *term) replicaSet(ctx context.Context, namespace, name string) (owner string, replicas int32) {
	set, err := t.Kube.AppsV1().ReplicaSets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", 0
	}
	for _, above := range set.OwnerReferences {
		if above.Kind == "Deployment" && strings.HasPrefix(above.APIVersion, "apps/") {
			return "deployment_" + above.Name, replicasOf(set.Spec.Replicas)
		}
	}
	return "replica_set_" + set.Name, replicasOf(set.Spec.Replicas)
}

func replicasOf(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
