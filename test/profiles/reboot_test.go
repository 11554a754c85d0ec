// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// reboots has a node rebooted by the Jobs of the CronJob that its label needed names.
const reboots = `
checks:
- {name: needed, nodeLabel: {key: needed, value: CRONJOB}}
- {name: ready, nodeCondition: {type: Ready, status: "True"}}
triggers:
- {name: drain, hold: {stage: Drain}}
- {name: reboot, reboot: {job: {namespace: POOL, cronJob: CRONJOB}}}
- {name: settle, patchNode: {removeLabels: [needed]}}
states:
  operational:
    transitions: [{name: start, check: needed, next: InMaintenance}]
  inMaintenance:
    enter: [drain, reboot, settle]
    transitions: [{name: done, check: "!needed && ready", next: Operational}]
`

// One node has a Job that reboots it at once, and dies with it; the other one has a Job that is complete while the node is
// still up. The server is killed while the Jobs are made, while the nodes are to go, and while they are down. Each node is
// kept until it is Ready in another boot, and each Job has run once.
func (o *own) rebootIsTheReboot(t *testing.T) {
	p := o.newPool(t, 2)
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 4, p.Selector()))
	p.rebootJobs(t)
	p.cronJob(t, "now", nil)
	profiles := map[string]string{}
	for i, cronJob := range []string{"now", "reboot"} {
		profiles[p.Nodes[i]] = p.profile(t, cronJob, strings.ReplaceAll(reboots, "CRONJOB", cronJob))
		p.label(t, p.Nodes[i], "needed="+cronJob)
	}
	for range 3 {
		time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Second))))
		o.killAndLaunch(t)
	}
	waits := func(node, want string) {
		t.Helper()
		p.waits(t, profiles[node], node, v1beta1.ProfileInMaintenance, strings.ReplaceAll(want, "NODE", node))
	}
	now, later := p.Nodes[0], p.Nodes[1]
	waits(now, "reboot: waits for NODE to reboot: its boot ID is still NODE-first. Job "+p.Name+"/now-")
	waits(later, "reboot: waits for NODE to reboot: its boot ID is still NODE-first. Job "+p.Name+"/reboot-")
	waits(later, " is complete")
	o.killAndLaunch(t)
	p.Down(t, now)
	waits(now, "reboot: waits for NODE to boot: it is not Ready, and its boot ID was NODE-first. Job")
	p.failPods(t, now)
	waits(now, " has failed and is not run again")
	o.killAndLaunch(t)
	p.stayDrained(t, 3*time.Second)
	p.Boot(t, now, "second")
	waits(now, "reboot: NODE has rebooted, and its boot ID was NODE-first: waits for it to be Ready")
	o.killAndLaunch(t)
	p.stayDrained(t, 3*time.Second)
	p.Up(t, now)
	p.Down(t, later)
	p.Boot(t, later, "second")
	p.Up(t, later)
	for node, profile := range profiles {
		through := p.wait(t, profile, node, node+" comes through", func(s *v1beta1.NodeProfileStatus) bool {
			return s.State == v1beta1.ProfileOperational && s.Transition == nil && s.Hold == nil && len(s.History) > 1
		})
		if got, want := steps(through), "start Done, done Done"; got != want {
			t.Errorf("%s: the history is %s, want %s", node, got, want)
		}
	}
	p.WaitUntilClean(t)
	p.WantEvictedOnce(t, nil)
	jobs, err := p.Kube.BatchV1().Jobs(p.Name).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs.Items {
		if status := jobs.Items[i].Status; status.Succeeded+status.Failed != 1 {
			t.Errorf("Job %s has run %d times", jobs.Items[i].Name, status.Succeeded+status.Failed)
		}
	}
	if len(jobs.Items) != 2 {
		t.Errorf("there are %d Jobs, want one for each node", len(jobs.Items))
	}
}

// failPods has the pods of Jobs on a node fail, as a kubelet does after its machine has started anew, and who evicts pods of
// nodes that are away.
func (p *pool) failPods(t *testing.T, node string) {
	t.Helper()
	pods, err := p.PodsOn(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pods {
		if pods[i].Labels[batchv1.JobNameLabel] == "" {
			continue
		}
		_, err := p.Kube.CoreV1().Pods(p.Name).Patch(t.Context(), pods[i].Name, types.MergePatchType,
			[]byte(`{"status":{"phase":"Failed"}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			t.Fatalf("could not have pod %s fail: %v", pods[i].Name, err)
		}
	}
}

// stayDrained checks for a while that no node is given back.
func (p *pool) stayDrained(t *testing.T, duration time.Duration) {
	t.Helper()
	env.Always(t, duration, "the nodes stay cordoned", func(ctx context.Context) string {
		for _, name := range p.Nodes {
			node, err := p.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err.Error()
			}
			if !env.Cordoned(node) {
				return name + " was given back"
			}
		}
		return ""
	})
}

// docs/kured.md can be followed. What it leaves to machines, the test does: node worker-1 reboots once its Job runs, and
// wants no other reboot then.
func (o *own) comesFromKured(t *testing.T) {
	p := o.newPool(t, 2)
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 4, p.Selector()))
	p.allowJobs(t)
	t.Cleanup(func() {
		p.removeProfiles(t, "kured")
		endpoints := p.Maintenance.MaintenanceV1beta1().MaintenanceEndpoints()
		if err := endpoints.Delete(context.WithoutCancel(t.Context()), "prometheus", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	node := p.Nodes[0]
	session := document.NewSession(t, p.Pool)
	session.Mask(`/reboot-[a-f0-9]{32}`)
	session.After("kubectl wait --for=jsonpath='{.status.transition.steps[1].object}'", func(t *testing.T) {
		p.waits(t, "kured", node, v1beta1.ProfileInMaintenance, " is running")
	})
	rebooted := false
	session.After("kubectl get nprof worker-1.kured", func(t *testing.T) {
		if rebooted {
			return
		}
		rebooted = true
		p.Down(t, node)
		p.failPods(t, node)
		p.Boot(t, node, "second")
		p.PatchNodeStatus(t, node, `{"status":{"conditions":[{"type":"RebootRequired","status":"False","reason":"NoRebootRequired"}]}}`)
		p.Up(t, node)
	})
	session.Check(t, "kured.md", map[string]string{"admin": p.Cluster.Kubeconfig()})
}
