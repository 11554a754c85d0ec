// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

func TestNewJob(t *testing.T) {
	job, step := madeJob(nil), stepOf(nil)
	if want := map[string]string{"team": "dc", v1beta1.TransitionLabel: step.Key()}; !cmp.Equal(job.Labels, want) {
		t.Errorf("labels %v, want %v", job.Labels, want)
	}
	if want := map[string]string{v1beta1.StepAnnotation: "np-uid/3.1/Triggers/0-flash"}; !cmp.Equal(job.Annotations, want) {
		t.Errorf("annotations %v, want %v", job.Annotations, want)
	}
	if want := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "worker-1", UID: "node-uid"}}; !cmp.Equal(job.OwnerReferences, want) {
		t.Errorf("the owners are %v, want %v: it outlives the NodeProfile", job.OwnerReferences, want)
	}
	onNode := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"worker-1"}}
	want := batchv1.JobSpec{
		Suspend: ptr.To(true), BackoffLimit: ptr.To[int32](0), TTLSecondsAfterFinished: ptr.To[int32](86400),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"cluster.x-k8s.io/drain": "skip"}},
			Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "flash", Image: "flash:1"}},
				Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
						NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{onNode}}},
					},
				}},
				Tolerations: []corev1.Toleration{
					{Key: "node.kubernetes.io/unschedulable", Operator: corev1.TolerationOpExists},
					{Key: "medik8s.io/drain", Operator: corev1.TolerationOpExists},
					{Key: "example.com/down", Operator: corev1.TolerationOpExists},
				},
			},
		},
	}
	if diff := cmp.Diff(want, job.Spec); diff != "" {
		t.Error(diff)
	}
}

// What a template has that would have the pods run elsewhere, not at all, or be taken for those of other nodes.
func TestNewJobOfAnOddTemplate(t *testing.T) {
	template := cronJob(func(c *batchv1.CronJob) {
		spec := &c.Spec.JobTemplate.Spec
		spec.Suspend, spec.TTLSecondsAfterFinished = ptr.To(false), ptr.To[int32](0)
		spec.ManualSelector, spec.Selector = ptr.To(true), &metav1.LabelSelector{MatchLabels: map[string]string{"app": "flash"}}
		spec.Template.Labels = map[string]string{"app": "flash", v1beta1.DrainLabel: v1beta1.DrainLabelWaitCompleted}
		spec.Template.Spec.NodeName = "worker-2"
		gpu := corev1.NodeSelectorRequirement{Key: "gpu", Operator: corev1.NodeSelectorOpExists}
		spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
				{MatchExpressions: []corev1.NodeSelectorRequirement{gpu}}, {},
			}},
		}}
	})
	before := template.DeepCopy()
	trigger, _ := triggerWith()
	job := trigger.newJob(template, stepOf(nil))
	if !*job.Spec.Suspend || *job.Spec.TTLSecondsAfterFinished != keepSeconds || job.Spec.Selector != nil || job.Spec.ManualSelector != nil {
		t.Errorf("got %+v", job.Spec)
	}
	pod := job.Spec.Template
	if want := map[string]string{"app": "flash", "cluster.x-k8s.io/drain": "skip"}; !cmp.Equal(pod.Labels, want) {
		t.Errorf("labels %v, want %v", pod.Labels, want)
	}
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i, term := range terms {
		if len(term.MatchFields) != 1 || term.MatchFields[0].Values[0] != "worker-1" {
			t.Errorf("term %d lets it run on other nodes: %+v", i, term)
		}
	}
	if pod.Spec.NodeName != "" || len(terms) != 2 || len(terms[0].MatchExpressions) != 1 {
		t.Errorf("node %q, terms %+v", pod.Spec.NodeName, terms)
	}
	if diff := cmp.Diff(before, template); diff != "" {
		t.Errorf("the template has changed: %s", diff)
	}
}

// A Job does not run on after its trigger has failed since it took too long: the node may be in service again.
func TestDeadline(t *testing.T) {
	for name, test := range map[string]struct{ template, trigger, want *int64 }{
		"none":                       {},
		"that of the trigger":        {trigger: ptr.To[int64](60), want: ptr.To[int64](60)},
		"that of the template":       {template: ptr.To[int64](60), want: ptr.To[int64](60)},
		"the earlier: the trigger's": {template: ptr.To[int64](90), trigger: ptr.To[int64](60), want: ptr.To[int64](60)},
		"the earlier: the other":     {template: ptr.To[int64](60), trigger: ptr.To[int64](90), want: ptr.To[int64](60)},
	} {
		t.Run(name, func(t *testing.T) {
			trigger, _ := triggerWith()
			job := trigger.newJob(
				cronJob(func(c *batchv1.CronJob) { c.Spec.JobTemplate.Spec.ActiveDeadlineSeconds = test.template }),
				stepOf(func(s *v1beta1.TransitionStep) { s.Trigger.TimeoutSeconds = test.trigger }),
			)
			if diff := cmp.Diff(test.want, job.Spec.ActiveDeadlineSeconds); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The hold of the profile itself, and that of anybody else, leaves the pods of the Job on the node, also past the
// deadline of a drain that deletes.
func TestDrainsLeaveThePodsAlone(t *testing.T) {
	template := madeJob(nil).Spec.Template
	pod := drainertest.Pod{Name: "flash", OwnerKind: "Job", OwnerName: "flash", Change: func(p *corev1.Pod) {
		p.Labels = template.Labels
	}}.Object()
	for name, late := range map[string]bool{"a drain": false, "past its deadline": true} {
		t.Run(name, func(t *testing.T) {
			hold := plan.NewHold(drainertest.Hold{Name: "a"}.Object())
			hold.Deletes = late
			made := plan.Make(plan.Input{Holds: []plan.Hold{hold}, Pods: []*corev1.Pod{pod}})
			if got := made.Pods[0].Action; got != v1beta1.PlanStay {
				t.Errorf("the drain would %s the pod", got)
			}
		})
	}
}

// The pods of the Job count as left on the node for the holds of others, but not for that of the profile, and not once they
// have run to completion: the node is as empty as it can be.
func TestPodsThatCountAsLeft(t *testing.T) {
	np := stepOf(nil).NodeProfile
	np.Status.Transition = stepOf(nil).Transition
	own := Of(np)
	if want := []types.NamespacedName{{Namespace: namespace, Name: Name(stepOf(nil))}}; !cmp.Equal(own, want) {
		t.Fatalf("the Jobs are %v, want %v", own, want)
	}
	for name, test := range map[string]struct {
		jobs      []types.NamespacedName
		namespace string
		phase     corev1.PodPhase
		want      int
	}{
		"the profile's hold":              {jobs: own, namespace: namespace, want: 0},
		"somebody else's hold":            {namespace: namespace, want: 1},
		"a Job of another namespace":      {jobs: own, namespace: "shop", want: 1},
		"somebody else's hold, afterward": {namespace: namespace, phase: corev1.PodSucceeded, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			pod := drainertest.Pod{
				Name: "flash", Namespace: test.namespace, OwnerKind: "Job", OwnerName: Name(stepOf(nil)),
				DrainLabel: v1beta1.DrainLabelSkip, Phase: test.phase,
			}.Object()
			hold := plan.NewHold(drainertest.Hold{Name: "a"}.Object())
			hold.Jobs = test.jobs
			drainable := sets.New(pod.UID)
			made := plan.Make(plan.Input{Holds: []plan.Hold{hold}, Pods: []*corev1.Pod{pod}, Drainable: drainable})
			if got := made.ProgressOf(hold).Staying; got != test.want || made.Pods[0].Action != v1beta1.PlanStay {
				t.Errorf("%d pods count as left, want %d; the pod is to %s", got, test.want, made.Pods[0].Action)
			}
			if _, got := hold.Split([]*corev1.Pod{pod}, drainable, nil); got != test.want {
				t.Errorf("in the last list, %d pods count as left, want %d", got, test.want)
			}
		})
	}
}
