// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/profileimport"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// sapConfig is a configuration of the SAP maintenance-controller. POOL stands for the name of the pool.
const sapConfig = `
instances:
  check:
  - {type: hasLabel, name: needed, config: {key: needed}}
  - {type: stagger, name: apart, config: {duration: 1h, leaseName: POOL, leaseNamespace: default}}
  - {type: maxMaintenance, name: few, config: {max: 1, profile: POOL}}
  trigger:
  - {type: eviction, name: cordon, config: {action: cordon}}
  - {type: eviction, name: uncordon, config: {action: uncordon}}
profiles:
- name: POOL
  operational:
    transitions:
    - {check: needed, next: maintenance-required}
  maintenance-required:
    transitions:
    - {check: few && apart, trigger: cordon, next: in-maintenance}
  in-maintenance:
    transitions:
    - {check: "!needed", trigger: uncordon, next: operational}
`

// A cluster goes from the SAP maintenance-controller to profiles, with nodes in the middle of their maintenance. The steps
// depend on each other, and have a control plane of their own: the controller, while it runs, stops all profiles.
func TestSwitchFromTheSAPController(t *testing.T) {
	t.Parallel()
	e := startMirroring(t)
	startSAP(t, e)
	p := &pool{Pool: e.NewPool(t, 5)}
	s := &switching{pool: p, taken: p.Nodes[0], next: p.Nodes[1], idle: p.Nodes[2], broken: p.Nodes[3], fresh: p.Nodes[4]}
	s.leave(t)
	t.Run("profiles say what they would do, and do nothing", s.shadow)
	t.Run("manifests of the examples are valid", s.manifestsAreValid)
	p.stopSAP(t)
	t.Run("states and places are adopted", s.adopted)
	t.Run("an annotation that cannot be read stops its node alone", s.unreadable)
	t.Run("label, annotation, events, metrics and info", s.mirrors)
	t.Run("a node that SAP cordoned is uncordoned", s.release)
	t.Run("profiles stop when the controller runs again", s.goBack)
}

// switching is a cluster of the controller.
type switching struct {
	*pool
	// taken is in maintenance, next waits for that, idle needs nothing, the annotation of broken cannot be read, and
	// fresh has not been seen by the controller.
	taken, next, idle, broken, fresh string
	// before is what was on the nodes before there was a profile.
	before map[string]map[string]any
}

// leave makes the cluster as the controller has it, and applies the profile that its configuration is translated to.
func (s *switching) leave(t *testing.T) {
	t.Helper()
	for _, node := range s.Nodes {
		s.label(t, node, v1beta1.DefaultProfileLabel+"="+s.Name)
	}
	s.label(t, s.taken, "needed=yes")
	s.label(t, s.next, "needed=yes")
	s.sapLeaves(t, s.taken, "in-maintenance", true)
	s.sapLeaves(t, s.next, "maintenance-required", false)
	s.sapLeaves(t, s.idle, "operational", false)
	s.sapWrites(t, s.broken, map[string]any{"metadata": map[string]any{"annotations": map[string]string{sapdata.Annotation: `{"Version":3}`}}})
	s.label(t, s.broken, "needed=yes")
	s.createLease(t, newLease(leaseNamespace, s.Name+"-0", s.taken))
	s.Run(t, s.Cluster.Workload(s.Name).Deployment("web", 8, s.Selector()).StatefulSet("db", 8, s.Selector()).DaemonSet("agent", s.Selector()))
	result, err := sapimport.Translate(sapimport.Options{
		Config: sapimport.File{Name: "maintenance.yaml", Text: []byte(strings.ReplaceAll(sapConfig, "POOL", s.Name))},
	})
	if err != nil || len(result.Profiles) != 1 {
		t.Fatalf("profiles %v, %v, want one", result, err)
	}
	s.before = map[string]map[string]any{}
	for _, node := range s.Nodes {
		s.before[node] = s.essence(t, node)
	}
	if _, err := s.profiles().Create(t.Context(), &result.Profiles[0], metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *switching) shadow(t *testing.T) {
	for node, want := range map[string]string{
		s.taken: "nothing is done (OtherController): the other controller has it in InMaintenance",
		s.next: "nothing is done (OtherController): the other controller has it in MaintenanceRequired, and here: few: 1 of 1 node with profile " +
			s.Name + " in maintenance (" + s.taken + ")",
		s.broken: "nothing is done (OtherController): the transition to_maintenance_required to MaintenanceRequired would be taken",
	} {
		s.waits(t, s.Name, node, v1beta1.ProfileOperational, want)
	}
	if got := s.seesSAP(t, s.Name, s.idle); got.Status.Hold != nil || len(got.Status.History) > 0 {
		t.Errorf("status %+v, want that nothing was done", got.Status)
	}
	for _, node := range s.Nodes {
		if diff := cmp.Diff(s.before[node], s.essence(t, node)); diff != "" {
			t.Errorf("node %s was changed (-before +now):\n%s", node, diff)
		}
	}
	holds, err := s.Maintenance.MaintenanceV1beta1().NodeMaintenances().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(holds.Items) > 0 {
		t.Errorf("%d holds, %v, want none", len(holds.Items), err)
	}
}

func (s *switching) adopted(t *testing.T) {
	taken := s.wait(t, s.Name, s.taken, "it goes on from where the controller was", func(status *v1beta1.NodeProfileStatus) bool {
		return status.State == v1beta1.ProfileInMaintenance && status.Hold != nil && status.Hold.Reached == v1beta1.StageCordon
	})
	if last := taken.Status.History[0]; last.Result != v1beta1.TransitionAdoptedCordoned || last.Message != "adopted from the SAP maintenance-controller" {
		t.Errorf("its history says %s %q", last.Result, last.Message)
	}
	if !env.Cordoned(s.Node(t, s.taken)) {
		t.Errorf("the node is not cordoned by its hold: %s", env.MarksOn(s.Node(t, s.taken)))
	}
	s.waits(t, s.Name, s.next, v1beta1.ProfileMaintenanceRequired, "few: 1 of 1 node")
	status := s.wait(t, s.Name, s.next, "the place of the Lease is taken", func(status *v1beta1.NodeProfileStatus) bool { return len(status.Checks) == 2 })
	for _, check := range status.Status.Checks {
		if want := "pool default/" + s.Name + " has 1 of 1 place taken (" + s.taken + ")"; check.Name == "apart" && !strings.HasPrefix(check.Message, want) {
			t.Errorf("the check says %q, want %q", check.Message, want)
		}
	}
	s.is(t, s.Name, s.idle, v1beta1.ProfileOperational)
	s.is(t, s.Name, s.fresh, v1beta1.ProfileOperational)
}

func (s *switching) unreadable(t *testing.T) {
	s.wait(t, s.Name, s.broken, "it does nothing", func(status *v1beta1.NodeProfileStatus) bool {
		acting := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionActing)
		return status.State == v1beta1.ProfileOperational && acting != nil && acting.Reason == v1beta1.ReasonNotAdopted
	})
	s.WaitForEvent(t, "Node", s.broken, "ProfileNotAdopted", "cannot be read")
	if diff := cmp.Diff(s.before[s.broken], s.essence(t, s.broken)); diff != "" {
		t.Errorf("the node was changed (-before +now):\n%s", diff)
	}
	s.sapWrites(t, s.broken, map[string]any{"metadata": map[string]any{"annotations": map[string]any{sapdata.Annotation: nil}}})
	s.is(t, s.Name, s.broken, v1beta1.ProfileMaintenanceRequired)
}

func (s *switching) mirrors(t *testing.T) {
	s.marked(t, s.taken, "in-maintenance")
	s.marked(t, s.next, "maintenance-required")
	s.marked(t, s.fresh, "operational")
	s.WaitForEvent(t, "Node", s.broken, "ChangedMaintenanceState", "The node is now in the maintenance-required state caused by profile "+s.Name)
	s.push(t, s.next)
	s.is(t, s.Name, s.next, v1beta1.ProfileInMaintenance)
	s.marked(t, s.next, "in-maintenance")
	for _, owner := range []string{"deployment_web", "stateful_set_db", "daemon_set_agent"} {
		s.serves(t, "/metrics", fmt.Sprintf("maintenance_controller_pod_shuffle_count{owner=%q,profile=%q}", owner, s.Name))
	}
	s.serves(t, "/api/v1/info", `"name":"`+s.Name+`","state":"in-maintenance"}],"labels":{"needed":"yes"}`)
	s.Kubectl().Must(t, "", "annotate", "--overwrite", "node", s.idle, sapdata.Annotation+"=by hand")
	s.WaitForEvent(t, "Node", s.idle, "MaintenanceMarksOverwritten", "was changed by kubectl")
	s.marked(t, s.idle, "operational")
}

func (s *switching) release(t *testing.T) {
	for _, node := range []string{s.taken, s.next} {
		s.label(t, node, "needed-")
		s.is(t, s.Name, node, v1beta1.ProfileOperational)
		s.WaitUntilCleanNode(t, node)
		s.marked(t, node, "operational")
	}
}

func (s *switching) goBack(t *testing.T) {
	s.lead(t)
	s.seesSAP(t, s.Name, s.idle)
	s.label(t, s.idle, "needed=yes")
	s.waits(t, s.Name, s.idle, v1beta1.ProfileOperational,
		"nothing is done (OtherController): the transition to_maintenance_required to MaintenanceRequired would be taken")
}

// push has a node come into maintenance whatever its checks say.
func (s *switching) push(t *testing.T, node string) {
	t.Helper()
	at := s.is(t, s.Name, node, v1beta1.ProfileMaintenanceRequired)
	err := s.decide(t, "admin", at.Name, v1beta1.NodeProfileDecision{
		Decision: v1beta1.ProfilePush, Transition: "to_in_maintenance", Sequence: at.Status.Sequence, Reason: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serves checks what the server itself answers, and that nobody gets it without the permission.
func (s *switching) serves(t *testing.T, path, want string) {
	t.Helper()
	args := []string{"get", "--raw", path, "--server=https://" + s.Server.Address(), "--insecure-skip-tls-verify"}
	env.Eventually(t, path+" has "+want, func(context.Context) string {
		if got := s.Kubectl().Must(t, "", args...); !strings.Contains(got, want) {
			return got
		}
		return ""
	})
	if out := s.KubectlAs(t, "nobody").Try(t, "", args...); out.Code == 0 || !strings.Contains(out.Stderr, "orbidden") {
		t.Errorf("without permission: exit code %d, %s", out.Code, out.Stderr)
	}
}

// The server takes every manifest that the import prints.
func (s *switching) manifestsAreValid(t *testing.T) {
	dir := filepath.Join("..", "..", "pkg", "profiles", "sapimport", "testdata")
	own := t.TempDir()
	files := map[string]string{"env": "TOKEN=xoxb-1\n", "cloudprovider.conf": "[Global]\nregion=\"qa-de-1\"\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"flatcar", "esx", "kubernikus", "several", "every"} {
		var printed, told bytes.Buffer
		cmd := profileimport.NewCommand()
		cmd.SetOut(&printed)
		cmd.SetErr(&told)
		cmd.SetArgs([]string{
			"--config=" + filepath.Join(dir, name+".yaml"), "--env-file=" + filepath.Join(own, "env"),
			"--cloud-provider-conf=" + filepath.Join(own, "cloudprovider.conf"), "--secret-namespace=" + s.Name,
		})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &told)
		}
		profiles := strings.Index(printed.String(), "---\napiVersion: maintenance.medik8s.io/v1beta1\nkind: MaintenanceProfile\n")
		if servers := printed.String()[:profiles]; servers != "" { // profiles need them
			s.Kubectl().Must(t, servers, "create", "--validate=strict", "-f", "-")
		}
		out := s.Kubectl().Must(t, printed.String()[profiles:], "create", "--validate=strict", "--dry-run=server", "-f", "-")
		if !strings.Contains(out, "created (server dry run)") {
			t.Errorf("%s: %s", name, out)
		}
		s.Kubectl().Must(t, printed.String(), "delete", "--ignore-not-found", "--wait=false", "-f", "-")
	}
}
