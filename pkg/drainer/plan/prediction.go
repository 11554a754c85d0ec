// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Predictions are the pods that may come back to their node once they are evicted.
type Predictions map[types.UID]Prediction

// Prediction says why a pod may come back.
type Prediction struct {
	// Certain says that it has no other node to go to.
	Certain bool
	// Why is the reason, for people.
	Why string
}

// Predict says which of the pods on a node may come back after their eviction: those that name the node,
// and those that tolerate the taints of the cordon. others are the other nodes of the cluster. The pods
// must be as the API server has them: what named the node is in their managed fields.
func Predict(pods []*corev1.Pod, node string, others []*corev1.Node, cordon []corev1.Taint) Predictions {
	predicted := Predictions{}
	for _, pod := range pods {
		switch {
		case unmanaged(pod) || OfDaemonSet(pod):
		case namesNode(pod):
			predicted[pod.UID] = Prediction{
				Certain: true, Why: fmt.Sprintf("comes back: its controller names node %s in spec.nodeName, and no cordon holds that up", node),
			}
		case tolerates(pod, cordon):
			predicted[pod.UID] = predictTolerant(pod, node, others, cordon)
		}
	}
	return predicted
}

func predictTolerant(pod *corev1.Pod, node string, others []*corev1.Node, cordon []corev1.Taint) Prediction {
	tolerated := tolerations(pod, cordon)
	if fitsAny(pod, others) {
		return Prediction{Why: fmt.Sprintf("may come back: it tolerates the cordon (%s)", tolerated)}
	}
	if pins := pins(pod); pins != "" {
		tolerated += "; " + pins
	}
	return Prediction{Certain: true, Why: fmt.Sprintf("comes back: it tolerates the cordon, and fits only on node %s (%s)", node, tolerated)}
}

// fitsAny says whether the pod's node selector and its required node affinity match any of the nodes. A
// selection that cannot be read matches.
func fitsAny(pod *corev1.Pod, nodes []*corev1.Node) bool {
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	for _, node := range nodes {
		if fits, err := required.Match(node); fits || err != nil {
			return true
		}
	}
	return false
}

// namesNode says whether whoever created the pod named its node. A scheduler binds a pod in another way,
// which leaves no trace in the managed fields.
func namesNode(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource == "" && entry.FieldsV1 != nil && setsNodeName(entry.FieldsV1)
	})
}

// setsNodeName reads the fields only if they have one of that name anywhere.
func setsNodeName(fields *metav1.FieldsV1) bool {
	if !bytes.Contains(fields.GetRawBytes(), []byte(`"f:nodeName"`)) {
		return false
	}
	set := &fieldpath.Set{}
	err := set.FromJSON(bytes.NewReader(fields.GetRawBytes()))
	return err == nil && set.Has(fieldpath.MakePathOrDie("spec", "nodeName"))
}

// listReturning lists the pod if it is certain to come back, and says in any case why it may.
func (p Predictions) listReturning(report *v1beta1.DrainPlanStatus, planned *v1beta1.PlannedPod, pod Pod) {
	predicted, returns := p[pod.Pod.UID]
	if !returns || eviction.Finished(pod.Pod) || (pod.Action != v1beta1.PlanEvict && pod.Action != v1beta1.PlanDelete) {
		return
	}
	if predicted.Certain {
		report.ReturningPods = append(report.ReturningPods, planned.Pod)
	}
	if planned.Message != "" {
		planned.Message += "; "
	}
	planned.Message = quote.Cut(planned.Message+predicted.Why, quote.MaxMessage)
}
