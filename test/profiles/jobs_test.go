// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// working drains the node, and then runs two Jobs there. The second one does not end by itself.
const working = `
checks: [{name: working, nodeLabel: {key: working}}]
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: reboot, job: {namespace: POOL, cronJob: reboot}}
- {name: burn, job: {namespace: POOL, cronJob: burn}}
onDetach: Release
states:
  operational:
    transitions: [{name: required, check: working, triggers: [drain, reboot, burn], next: MaintenanceRequired}]
`

// The node of a profile is drained although its Jobs have pods there. If the profile is deleted, the user is told that the
// Job is stopped, and what has run before stays, with its pods.
func (p *pool) keepsWhatJobsDid(t *testing.T) {
	t.Helper()
	node := p.Nodes[0]
	p.cronJob(t, "burn", nil)
	profile := p.profile(t, "working", working)
	p.label(t, node, "working=yes")
	var jobs []string
	p.wait(t, profile, node, "the second Job is run", func(s *v1beta1.NodeProfileStatus) bool {
		jobs = nil
		if s.Transition == nil {
			return false
		}
		for _, step := range s.Transition.Steps {
			jobs = append(jobs, step.Object)
		}
		return jobs[2] != ""
	})
	env.Eventually(t, "the pod of the second Job runs, and the node is drained", func(ctx context.Context) string {
		pods, err := p.podsOf(ctx, jobs[2])
		if err != nil || len(pods) != 1 || pods[0].Status.Phase != corev1.PodRunning {
			return fmt.Sprint(err, pods)
		}
		drained := p.Kubectl().Must(t, "", "get", "node", node, "-o", `jsonpath={.status.conditions[?(@.type=="Drained")].status}`)
		held := p.Kubectl().Must(t, "", "get", "nm", "--field-selector", "spec.nodeName="+node, "--no-headers")
		if drained != "True" || !strings.Contains(held, "Succeeded") {
			return drained + " " + held
		}
		return ""
	})
	deleted := p.Kubectl().Try(t, "", "delete", "mprof", profile, "--timeout=60s")
	want := fmt.Sprintf("Warning: Job %s/%s on node %s is stopped: a profile that is deleted with onDetach: Release or mode: DryRun finishes nothing\n", p.Name, jobs[2], node)
	if deleted.Stderr != want || deleted.Code != 0 {
		t.Errorf("the delete says %q, want %q", deleted.Stderr, want)
	}
	p.gone(t, profile, node)
	env.Eventually(t, "the first Job is there with its pod, and the second one has failed", func(ctx context.Context) string {
		pods, err := p.podsOf(ctx, jobs[1])
		if err != nil || len(pods) != 1 || pods[0].Status.Phase != corev1.PodSucceeded {
			return fmt.Sprint(err, pods)
		}
		stopped, err := p.Kube.BatchV1().Jobs(p.Name).Get(ctx, jobs[2], metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, condition := range stopped.Status.Conditions {
			if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
				return ""
			}
		}
		return fmt.Sprintf("%+v", stopped.Status)
	})
}

func (p *pool) podsOf(ctx context.Context, job string) ([]corev1.Pod, error) {
	list, err := p.Kube.CoreV1().Pods(p.Name).List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// cronJob creates a CronJob whose Jobs' pods have annotations.
func (p *pool) cronJob(t *testing.T, name string, annotations map[string]string) {
	t.Helper()
	pod := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: name, Image: name}},
		},
	}
	template := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.CronJobSpec{
			Suspend: new(true), Schedule: "0 0 1 1 *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: pod}},
		},
	}
	if _, err := p.Kube.BatchV1().CronJobs(p.Name).Create(t.Context(), template, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create the CronJob: %v", err)
	}
}
