// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// keepSeconds is how long a Job that has ended is kept at least: a server that was down for a day still learns how it
// has ended. Others remove it then, so that Jobs do not pile up.
const keepSeconds = 24 * 60 * 60

// newJob makes the Job of the template: suspended, on the node, and left alone by drains.
func (t *Trigger) newJob(from *batchv1.CronJob, step action.Step) *batchv1.Job {
	template := from.Spec.JobTemplate.DeepCopy()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: Name(step), Namespace: from.Namespace, Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{owner(step.NodeProfile)},
		},
		Spec: template.Spec,
	}
	metav1.SetMetaDataLabel(&job.ObjectMeta, v1beta1.TransitionLabel, step.Key())
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, v1beta1.StepAnnotation, step.ID())
	job.Spec.Suspend = ptr.To(true)
	job.Spec.ActiveDeadlineSeconds = deadline(job.Spec.ActiveDeadlineSeconds, step.Recorded.Trigger.TimeoutSeconds)
	job.Spec.TTLSecondsAfterFinished = ptr.To(max(ptr.Deref(job.Spec.TTLSecondsAfterFinished, 0), keepSeconds))
	// The API server makes a selector for each Job. One of the template would be that of all nodes' Jobs.
	job.Spec.Selector, job.Spec.ManualSelector = nil, nil
	job.Spec.Template.Labels = withSkip(job.Spec.Template.Labels)
	t.pin(&job.Spec.Template.Spec, step.NodeProfile.Spec.NodeName)
	if step.Recorded.Trigger.Reboot != nil {
		runOnce(&job.Spec)
		metav1.SetMetaDataAnnotation(&job.Spec.Template.ObjectMeta, v1beta1.BootIDAnnotation, step.Recorded.BootID)
	}
	return job
}

// runOnce has a Job have one pod in its life, whose containers are started once. It dies with its node, and what is
// started again on the node that has come up would reboot that, too. So of the template, only that stays which has nothing
// to do with how often it runs.
func runOnce(job *batchv1.JobSpec) {
	*job = batchv1.JobSpec{
		Suspend: job.Suspend, ActiveDeadlineSeconds: job.ActiveDeadlineSeconds, TTLSecondsAfterFinished: job.TTLSecondsAfterFinished,
		Template: job.Template, BackoffLimit: ptr.To[int32](0), Completions: ptr.To[int32](1), Parallelism: ptr.To[int32](1),
	}
	job.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
}

// deadline is the earlier of that of the template and that of the trigger. A Job that ran on after its trigger has failed
// would do its work on a node that is in service again.
func deadline(ofTemplate, ofTrigger *int64) *int64 {
	if ofTemplate == nil || ofTrigger != nil && *ofTrigger < *ofTemplate {
		return ofTrigger
	}
	return ofTemplate
}

// owner has the Job go with its node, on which it would else wait for ever. It does not go with its NodeProfile: people
// read the logs of what was done on the node when the profile is off it.
func owner(np *v1beta1.NodeProfile) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: np.Spec.NodeName, UID: np.Status.NodeUID}
}

// withSkip has drains leave the pods on the node, whoever drains it.
func withSkip(labels map[string]string) map[string]string {
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.DrainLabel] = v1beta1.DrainLabelSkip
	return labels
}

// pin has the pods run on the node and nowhere else, although it is cordoned.
func (t *Trigger) pin(pod *corev1.PodSpec, node string) {
	pod.NodeName = "" // it would pass by the scheduler, and may be another node
	if pod.Affinity == nil {
		pod.Affinity = &corev1.Affinity{}
	}
	if pod.Affinity.NodeAffinity == nil {
		pod.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	onNode(pod.Affinity.NodeAffinity, node)
	for _, key := range t.cordonTaints() {
		pod.Tolerations = append(pod.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

// onNode adds the node to each of the terms, of which one must match.
func onNode(affinity *corev1.NodeAffinity, node string) {
	required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchFields = append(term.MatchFields, corev1.NodeSelectorRequirement{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		})
	}
	affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
}

// cordonTaints are the keys of the taints of a cordoned node.
func (t *Trigger) cordonTaints() []string {
	keys := []string{corev1.TaintNodeUnschedulable, v1beta1.DrainTaint}
	for _, taint := range t.taints {
		keys = append(keys, taint.Key)
	}
	return keys
}

// prefix cuts a name so that another part can follow it.
func prefix(name string, most int) string {
	name = strings.ReplaceAll(name, ".", "-")
	return strings.TrimRight(name[:min(len(name), most)], "-")
}
