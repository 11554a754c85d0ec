// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// Predictions are what becomes of pods once they are evicted, if that is worth saying.
type Predictions map[types.UID]Prediction

// Prediction says what becomes of a pod once it is evicted.
type Prediction struct {
	// Returns says that it is certain to come back to its node.
	Returns bool
	// Waits says that no other node can run it, so that it is Pending until its node is back in service.
	Waits bool
	// Why is the reason, for people.
	Why string
}

// Volume is a volume of a pod that outlives the pod.
type Volume struct {
	// Claim and Name are the names of the claim and of the volume that it is bound to.
	Claim, Name string
	// Nodes are those that can have it; nil stands for all.
	Nodes *corev1.NodeSelector
	// Unknown says why it is not known which nodes can have it; empty when it is known.
	Unknown string
}

// Recreated are the pods that the hold drains, and that their controllers create again. A virtual machine that migrates
// has its next pod already.
func (p Plan) Recreated(of types.UID) []*corev1.Pod {
	var recreated []*corev1.Pod
	for _, pod := range p.Pods {
		if p.drains(of, pod) && (pod.Action == v1beta1.PlanEvict || pod.Action == v1beta1.PlanDelete) &&
			!unmanaged(pod.Pod) && !OfDaemonSet(pod.Pod) && !eviction.Finished(pod.Pod) && !pod.machine.Survives() {
			recreated = append(recreated, pod.Pod)
		}
	}
	return recreated
}

// Predict says which of the pods come back to their node once they are evicted, those that name the node and those that
// tolerate the taints of the cordon, and which can run nowhere else. others are the other nodes of the cluster. The pods
// are to be as the API server has them: what named the node is in their managed fields. volumes are those of the pods,
// as far as they were read.
func Predict(pods []*corev1.Pod, node string, others []*corev1.Node, cordon []corev1.Taint, volumes map[types.UID][]Volume) Predictions {
	predicted := Predictions{}
	for _, pod := range pods {
		if prediction := predict(pod, node, others, cordon, volumes[pod.UID]); prediction.Why != "" {
			predicted[pod.UID] = prediction
		}
	}
	return predicted
}

func predict(pod *corev1.Pod, node string, others []*corev1.Node, cordon []corev1.Taint, volumes []Volume) Prediction {
	limits := limitsOf(pod, volumes)
	only := !anyFits(others, limits)
	switch {
	case namesNode(pod):
		return Prediction{
			Returns: true, Why: fmt.Sprintf("comes back: its controller names node %s in spec.nodeName, and no cordon holds that up", node),
		}
	case tolerates(pod, cordon) && only:
		why := append([]string{tolerations(pod, cordon)}, decisive(others, limits)...)
		return Prediction{
			Returns: true, Why: fmt.Sprintf("comes back: it tolerates the cordon, and fits only on node %s (%s)", node, strings.Join(why, "; ")),
		}
	case tolerates(pod, cordon):
		return Prediction{Why: fmt.Sprintf("may come back: it tolerates the cordon (%s)", tolerations(pod, cordon))}
	case only && len(others) > 0: // where there is one node alone, nobody has to be told
		return Prediction{Waits: true, Why: fmt.Sprintf(
			"fits only on node %s (%s), so it is Pending until that is back in service", node, strings.Join(decisive(others, limits), "; "))}
	default:
		return Prediction{Why: unknown(volumes)}
	}
}

// unknown says that another node may be unable to run the pod, if one of its volumes could not be read.
func unknown(volumes []Volume) string {
	for _, volume := range volumes {
		if volume.Unknown != "" {
			return fmt.Sprintf("whether another node can run it is not known: %s", volume.Unknown)
		}
	}
	return ""
}

// limit is something that keeps a pod to certain nodes.
type limit struct {
	// said is what it is, for people.
	said string
	// fits says whether it permits the node. It does so when it cannot be read.
	fits func(node *corev1.Node) bool
}

// limitsOf are what keeps the pod to certain nodes: its node selector and required node affinity, and its volumes.
func limitsOf(pod *corev1.Pod, volumes []Volume) []limit {
	var limits []limit
	add := func(said string, match func(*corev1.Node) (bool, error)) {
		limits = append(limits, limit{said: said, fits: func(node *corev1.Node) bool {
			fits, err := match(node)
			return fits || err != nil
		}})
	}
	if pins := pins(pod); pins != "" {
		add(pins, nodeaffinity.GetRequiredNodeAffinity(pod).Match)
	}
	for _, volume := range volumes {
		if volume.Nodes != nil {
			add(fmt.Sprintf("volume %s of claim %s", volume.Name, volume.Claim), nodeaffinity.NewLazyErrorNodeSelector(volume.Nodes).Match)
		}
	}
	return limits
}

// anyFits says whether all limits permit one of the nodes.
func anyFits(nodes []*corev1.Node, limits []limit) bool {
	return slices.ContainsFunc(nodes, func(node *corev1.Node) bool {
		return !slices.ContainsFunc(limits, func(of limit) bool { return !of.fits(node) })
	})
}

// decisive names the limits that alone permit none of the nodes or, if there is none such, all.
func decisive(nodes []*corev1.Node, limits []limit) []string {
	var alone, all []string
	for _, of := range limits {
		all = append(all, of.said)
		if !anyFits(nodes, []limit{of}) {
			alone = append(alone, of.said)
		}
	}
	if len(alone) > 0 {
		return alone
	}
	return all
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

// list lists the pod if it is certain to come back or can run nowhere else, and says in any case what is predicted.
func (p Predictions) list(report *v1beta1.DrainPlanStatus, planned *v1beta1.PlannedPod, pod Pod) {
	predicted, found := p[pod.Pod.UID]
	if !found {
		return
	}
	if predicted.Returns {
		report.ReturningPods = append(report.ReturningPods, planned.Pod)
	}
	if predicted.Waits {
		report.UnschedulablePods = append(report.UnschedulablePods, planned.Pod)
	}
	if planned.Message != "" {
		planned.Message += "; "
	}
	planned.Message = quote.Cut(planned.Message+predicted.Why, quote.MaxMessage)
}
