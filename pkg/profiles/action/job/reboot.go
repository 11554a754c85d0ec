// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Reboot is the trigger reboot. Only the node tells that it has rebooted: a Job may die with its node, or be complete long
// before. So the step is done when the node is Ready and in another boot than the one that the engine has recorded with
// it, and when no Job is left that would reboot the node once more.
//
// The API server is asked for the node each time, and not a cache: one that is late would have a node rebooted that has
// just come up.
type Reboot struct {
	nodes typedcorev1.NodesGetter
	jobs  *Trigger
}

var _ action.Stopper = Reboot{}

// NewReboot returns the trigger, whose Jobs are run as those of the trigger job.
func NewReboot(kube kubernetes.Interface, jobs *Trigger) Reboot {
	return Reboot{nodes: kube.CoreV1(), jobs: jobs}
}

// Do has the Job run if there is one, and says whether the node has rebooted.
func (r Reboot) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	name, was := step.NodeProfile.Spec.NodeName, step.Recorded.BootID
	node, err := r.nodes.Nodes().Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && node.UID != step.NodeProfile.Status.NodeUID:
		return committed("waits for %s to boot, whose boot ID was %s: the node does not exist", name, was), nil
	case err != nil:
		return action.Progress{Committed: true}, fmt.Errorf("could not get node %s: %w", name, err)
	}
	ready := isReady(node)
	switch rebooted := v1beta1.HasRebooted(was, node.Status.NodeInfo.BootID); {
	case rebooted && ready:
		return r.rebooted(ctx, step)
	case rebooted:
		return committed("%s has rebooted, and its boot ID was %s: waits for it to be Ready", name, was), nil
	case specOf(step) != nil:
		return r.runJob(ctx, step, ready)
	case !ready:
		return committed("%s", awaitsBoot(name, was)), nil
	default:
		return action.Waiting(fmt.Sprintf("waits for somebody to reboot %s: its boot ID is still %s", name, was), time.Time{}), nil
	}
}

// runJob has the Job created, recorded and started while the node is Ready. Once it is recorded, only the node counts: it
// is never run again, whatever has become of it.
func (r Reboot) runJob(ctx context.Context, step action.Step, ready bool) (action.Progress, error) {
	name, was, recorded := step.NodeProfile.Spec.NodeName, step.Recorded.BootID, step.Recorded.Object != ""
	job, err := r.jobs.get(ctx, step)
	switch begun := recorded && (job == nil || !made(job, step) || started(job)); {
	case err != nil && recorded:
		return action.Progress{Committed: true}, fmt.Errorf("could not get %s: %w", said(step), err)
	case err != nil:
		return action.Refusal("get "+said(step), err)
	case !begun && !ready:
		return action.Waiting(fmt.Sprintf("waits for %s to be Ready, so that it can be rebooted: its boot ID is %s", name, was), time.Time{}), nil
	}
	progress, err := r.jobs.goOn(ctx, step, job)
	switch {
	case err != nil:
		progress.Committed = recorded // it may have been started
		return progress, err
	case !recorded:
		return progress, nil
	case progress.State == v1beta1.StepDone:
		progress.Message = said(step) + " is complete"
	}
	message := fmt.Sprintf("waits for %s to reboot: its boot ID is still %s. %s", name, was, progress.Message)
	if !ready {
		message = fmt.Sprintf("%s. %s", awaitsBoot(name, was), progress.Message)
	}
	waiting := action.Waiting(message, progress.Again)
	waiting.Committed = !ready || mayRun(job, step, progress)
	return waiting, nil
}

// mayRun says whether the Job may still reboot the node. One that was not started has just been, unless that was refused.
func mayRun(job *batchv1.Job, step action.Step, progress action.Progress) bool {
	return job != nil && made(job, step) && !hasEnded(job) && (started(job) || progress.State == v1beta1.StepRunning)
}

// rebooted has the step done once no Job is left: one whose pod had not begun when the node went down would reboot it
// again.
func (r Reboot) rebooted(ctx context.Context, step action.Step) (action.Progress, error) {
	if specOf(step) == nil {
		return action.Done(), nil
	}
	if err := r.Stop(ctx, step); err != nil {
		return action.Progress{Committed: true}, fmt.Errorf("could not stop %s: %w", said(step), err)
	}
	job, err := r.jobs.get(ctx, step)
	switch {
	case err != nil:
		return action.Progress{Committed: true}, fmt.Errorf("could not get %s: %w", said(step), err)
	case job == nil, !made(job, step), hasEnded(job), ptr.Deref(job.Spec.Suspend, false):
		return action.Done(), nil
	}
	progress := committed("%s has rebooted: waits for %s to end, so that it does not reboot it again", step.NodeProfile.Spec.NodeName, said(step))
	progress.Again = r.jobs.clock.Now().Add(leastAgain)
	return progress, nil
}

// Stop stops the Job, if there is one.
func (r Reboot) Stop(ctx context.Context, step action.Step) error {
	if specOf(step) == nil {
		return nil
	}
	return r.jobs.Stop(ctx, step)
}

func committed(format string, args ...any) action.Progress {
	progress := action.Waiting(fmt.Sprintf(format, args...), time.Time{})
	progress.Committed = true
	return progress
}

func isReady(node *corev1.Node) bool {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// awaitsBoot says that a node is down, or comes up.
func awaitsBoot(node, was string) string {
	return fmt.Sprintf("waits for %s to boot: it is not Ready, and its boot ID was %s", node, was)
}
