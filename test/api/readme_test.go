// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// readmeSteps are the commands of README's table "Use it", as they stand there,
// in an order in which they make sense, and what their output is to have.
// HOLD, NODE and NAMESPACE stand for those of the test.
var readmeSteps = []struct{ command, want string }{
	{"kubectl explain nm.spec.drain --recursive", "gracePeriodSeconds\t<integer>"},
	{"kubectl create -f … --dry-run=server -o yaml", "object: PodDisruptionBudget/NAMESPACE/web"},
	{"kubectl create -f", "HOLD created"},
	{"kubectl get nm -w", "HOLD "},
	{"kubectl get nm NAME -o jsonpath='{.status.blockers}'", `"reason":"DisruptionBudget"`},
	{"kubectl get nm -o wide", "PodDisruptionBudget NAMESPACE/web (1 pod)"},
	{"kubectl describe nm NAME", "budget NAMESPACE/web needs 1 healthy pod"},
	{"kubectl get nm --field-selector spec.nodeName=worker-3", "HOLD "},
	{"kubectl get nodes.maintenance.medik8s.io", "NODE "},
	{"kubectl get nodes.maintenance.medik8s.io worker-3 --subresource=drainplan", "NAMESPACE/web"},
	// Here the budget makes room.
	{"kubectl wait --for=condition=Drained nm/NAME --timeout=10m", "HOLD condition met"},
	{`kubectl patch nm NAME --type=merge -p '{"spec":{"stage":"Cordon"}}'`, "HOLD patched"},
	{"kubectl delete nm NAME", `"HOLD" deleted`},
}

// README's commands do what the table says, on a node whose drain is blocked
// until its budget makes room.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	example, node := readmeExample(t, pool), pool.Nodes[0]
	blocked := pool.Cluster.Workload(pool.Name).
		Deployment("web", 1, pool.Selector(), localcluster.Label("tier", "batch")).
		Budget("web", localcluster.MaxUnavailable("0"))
	// The pod is to be on the first node.
	pool.Kubectl().Must(t, "", "cordon", pool.Nodes[1])
	pool.Run(t, blocked)
	pool.Kubectl().Must(t, "", "uncordon", pool.Nodes[1])

	var commands []string
	for _, step := range readmeSteps {
		commands = append(commands, step.command)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(readmeTable(t))), slices.Sorted(slices.Values(commands))); diff != "" {
		t.Errorf("README's commands and those that are tested differ (-README +test):\n%s", diff)
	}
	hold := pool.Name + "-a"
	shell := strings.NewReplacer("NAME", hold, "worker-3", node, "create -f …", "create -f "+example, "get nm -w", "get nm -w --request-timeout=5s")
	names := strings.NewReplacer("HOLD", hold, "NODE", node, "NAMESPACE", pool.Name)
	for _, step := range readmeSteps {
		line, want := shell.Replace(step.command), names.Replace(step.want)
		switch {
		case step.command == "kubectl create -f":
			line += " " + example
		case strings.HasPrefix(line, "kubectl wait"):
			pool.Kubectl().Must(t, "", "patch", "pdb", "web", "-n", pool.Name, "--type=merge", "-p", `{"spec":{"maxUnavailable":1}}`)
		}
		if strings.HasPrefix(line, "kubectl get") {
			env.Eventually(t, line, func(context.Context) string { return lacks(run(t, pool, line), want) })
		} else if lack := lacks(run(t, pool, line), want); lack != "" {
			t.Fatalf("%s: %s", line, lack)
		}
		if strings.Contains(line, `"Cordon"`) && !pool.Node(t, node).Spec.Unschedulable {
			t.Error("the node does not stay cordoned")
		}
	}
	if pool.Node(t, node).Spec.Unschedulable {
		t.Error("the node was not given back")
	}
}

func lacks(out, want string) string {
	if strings.Contains(out, want) {
		return ""
	}
	return fmt.Sprintf("want %q in:\n%s", want, out)
}

// run is what a user's shell does with a command.
func run(t *testing.T, p *env.Pool, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*env.Timeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", line)
	shell.Env = append(p.Cluster.Environ(), "KUBECONFIG="+p.Cluster.Kubeconfig(), "PATH="+p.Cluster.BinDir()+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil && !strings.Contains(line, "-w ") {
		t.Fatalf("%s: %v\n%s", line, err, out.String())
	}
	return out.String()
}

// readmeTable returns the commands of the table "Use it".
func readmeTable(t *testing.T) []string {
	t.Helper()
	_, section, _ := strings.Cut(readme(t), "\n## Use it\n")
	section, _, _ = strings.Cut(section, "\n```")
	var commands []string
	for _, match := range regexp.MustCompile("`(kubectl [^`]*)`").FindAllStringSubmatch(section, -1) {
		commands = append(commands, match[1])
	}
	return commands
}

// readmeExample writes README's example, which uses every field, to a file, with
// a node of the test's.
func readmeExample(t *testing.T, p *env.Pool) string {
	t.Helper()
	_, section, _ := strings.Cut(readme(t), "\n## Use it\n")
	_, example, ok := strings.Cut(section, "```yaml\n")
	example, _, closed := strings.Cut(example, "```")
	if !ok || !closed {
		t.Fatal("README has no example")
	}
	example = strings.Replace(example, "name: worker-3", "name: "+p.Name+"-a", 1)
	example = strings.Replace(example, "nodeName: worker-3", "nodeName: "+p.Nodes[0], 1)
	path := filepath.Join(t.TempDir(), "example.yaml")
	if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readme(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// What README says a node in maintenance bears. What was there before stays, but a
// cordon during maintenance is lost.
func TestMarksOnTheNode(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	kubectl := pool.Kubectl()
	byHand := pool.Nodes[1]
	kubectl.Must(t, "", "cordon", byHand)
	for i, node := range pool.Nodes {
		hold := pool.Create(t, pool.Hold(fmt.Sprint(i), node))
		pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
		env.Eventually(t, "marks on the node", func(context.Context) string {
			got := kubectl.Must(t, "", "get", "node", node, "-o", "yaml")
			for _, want := range []string{
				"unschedulable: true", "key: medik8s.io/drain", "remediation.medik8s.io/exclude-from-remediation: \"true\"",
				v1beta1.HoldsAnnotation + ":", "type: DrainInProgress", "type: Drained", "type: MaintenanceInProgress",
			} {
				if !strings.Contains(got, want) {
					return "no " + want + " in:\n" + got
				}
			}
			return ""
		})
		annotation := pool.Node(t, node).Annotations[v1beta1.HoldsAnnotation]
		wantContains(t, "annotation", annotation, hold.Name, "admin", "test")

		kubectl.Must(t, "", "cordon", node) // is lost at the end
		kubectl.Must(t, "", "delete", "nm", hold.Name)
		after := kubectl.Must(t, "", "get", "node", node, "-o", "yaml")
		for _, gone := range []string{"medik8s.io/drain", "exclude-from-remediation", v1beta1.HoldsAnnotation} {
			if strings.Contains(after, gone) {
				t.Errorf("%s is left on the node:\n%s", gone, after)
			}
		}
		if got := pool.Node(t, node).Spec.Unschedulable; got != (node == byHand) {
			t.Errorf("node %s: unschedulable is %v after its maintenance", node, got)
		}
	}
}
