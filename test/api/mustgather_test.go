// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// secret stands where a user may have put one.
const secret = "c2VjcmV0LW9mLXRoZS10ZXN0"

// drainsToGather is a node whose drain is blocked, one that was given back, and one in service.
func drainsToGather(t *testing.T) *env.Pool {
	t.Helper()
	pool := env.Current(t).NewPool(t, 3)
	annotated := localcluster.Annotation("example.com/token", secret)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("web", localcluster.OnNode(pool.Nodes[0]), localcluster.Label(localcluster.AppLabel, "web"), annotated).
		Pod("other", localcluster.OnNode(pool.Nodes[2]), annotated).
		Budget("web", localcluster.MinAvailable("1")))
	hold := pool.Hold("a", pool.Nodes[0])
	hold.Annotations = map[string]string{"example.com/token": secret}
	pool.Create(t, hold)
	pool.WaitForHold(t, hold.Name, "blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount > 0 })
	pool.Delete(t, pool.WaitForHold(t, pool.Create(t, pool.Hold("b", pool.Nodes[1])).Name, "node drained", env.Drained).Name)
	for _, told := range [][]string{
		{"Node", pool.Nodes[0], "DrainBlocked"},
		{"NodeMaintenance", pool.Name + "-a", "DrainBlocked"},
		{"Node", pool.Nodes[1], "NodeUncordoned"},
		{"NodeMaintenance", pool.Name + "-b", "NodeUncordoned"},
	} {
		pool.WaitForEvent(t, told[0], told[1], told[2])
	}
	return pool
}

// The archive of an admin has everything, and tells the story of a blocked drain and of an ended maintenance.
func TestMustGather(t *testing.T) {
	t.Parallel()
	pool := drainsToGather(t)
	files, summary := mustGather(t, pool, pool.Cluster.Kubeconfig(),
		"--audit-log="+pool.Server.AuditLogPath(), fmt.Sprintf("--server=https://127.0.0.1:%d", pool.Server.Port()))
	wantContains(t, "summary", summary, "Nothing is missing.\n")

	a, b := pool.Name+"-a", pool.Name+"-b"
	story := sectionOf(t, files["timeline.txt"], pool.Nodes[0])
	wantInOrder(t, story, "cordoned, has the taint medik8s.io/drain:NoSchedule\n", "  Hold "+a+" of admin, stage Drain: Running, 0 % drained, 1 pod blocked. Reason: test\n",
		"  audit   "+a+"  admin: create nodemaintenances/"+a, "  event   "+a+"  MaintenanceStarted: ", "  event   "+a+"  NodeCordoned: ")
	wantContains(t, "story", story, "  event   "+a+"  DrainBlocked: 1 pod of", "Blocked became True", "  was created by admin\n")
	ended := sectionOf(t, files["timeline.txt"], pool.Nodes[1])
	wantInOrder(t, ended, ": not in maintenance now\n", "  audit   "+b+"  admin: create ", "  audit   "+b+"  admin: delete ")
	wantInOrder(t, ended, "  event   "+b+"  MaintenanceStarted: ", "  event   "+b+"  DrainSucceeded: ", "  event   "+b+"  NodeUncordoned: ")
	wantContains(t, "nodes", files["nodes/"+pool.Nodes[0]+".yaml"], v1beta1.HoldsAnnotation, "unschedulable: true")
	wantContains(t, "hold", files["nodemaintenances/maintenance.medik8s.io/"+a+".yaml"], "blockers:")
	wantContains(t, "plan", files["drainplans/"+pool.Nodes[0]+".yaml"], pool.Name+"/web")
	wantContains(t, "metrics", files["server/metrics.txt"], "maintenance_drainer_nodes_draining ")
	for _, want := range []string{
		"nodestates/" + pool.Nodes[2], "pods/" + pool.Name + "/web", "poddisruptionbudgets/" + pool.Name + "/web",
		"leases/kube-node-lease/" + pool.Nodes[0], "apiservices/v1beta1.maintenance.medik8s.io", "events/nodes-1",
	} {
		if files[want+".yaml"] == "" {
			t.Errorf("no %s.yaml in the archive", want)
		}
	}
	if files["pods/"+pool.Name+"/other.yaml"] != "" {
		t.Error("the archive has a pod of a node in service")
	}
	for name, content := range files {
		if strings.Contains(content, secret) {
			t.Errorf("%s has the secret:\n%s", name, content)
		}
	}
	wantDocumented(t, files["index.txt"])
}

// The role that ships is enough for everything.
func TestMustGatherRole(t *testing.T) {
	t.Parallel()
	pool := drainsToGather(t)
	kubectl := pool.Kubectl()
	kubectl.Must(t, "", "apply", "-f", filepath.Join(root, "artifacts", "examples", "must-gather.yaml"))
	env.Eventually(t, "the role counts", func(ctx context.Context) string {
		review, err := pool.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "sam", Groups: []string{"support"}, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"},
			},
		}, metav1.CreateOptions{})
		if err != nil || !review.Status.Allowed {
			return fmt.Sprintf("not allowed: %v", err)
		}
		return ""
	})
	files, summary := mustGather(t, pool, kubeconfigOf(t, pool, "sam-"+pool.Name, "support"), fmt.Sprintf("--server=https://127.0.0.1:%d", pool.Server.Port()))
	wantContains(t, "summary", summary, "Nothing is missing.\n")
	if files["pods/"+pool.Name+"/web.yaml"] == "" {
		t.Error("the archive has no pods")
	}
}

// A user with few rights gets what they may read, and is told what is missing.
func TestMustGatherWithFewRights(t *testing.T) {
	t.Parallel()
	pool := drainsToGather(t)
	viewer := "viewer-of-" + pool.Name
	grantUser(t, pool.Env, viewerRole, viewer, "list")
	files, summary := mustGather(t, pool, kubeconfigOf(t, pool, viewer))
	if lines := strings.Count(summary, "\n"); lines < 3 || lines > 6 {
		t.Errorf("the summary has %d lines:\n%s", lines, summary)
	}
	wantContains(t, "summary", summary, "out.tar.gz: ", "Missing, as index.txt says with the reason: ", "  nodes/: nodes: not allowed: ")
	wantContains(t, "index", files["index.txt"], "  nodes/: nodes: not allowed: ", "  poddisruptionbudgets/: ", "  events/: ", "  server/pods/: ",
		"  server/metrics.txt: ", "set --server")
	wantContains(t, "story", sectionOf(t, files["timeline.txt"], pool.Nodes[0]), "its state could not be read", "Hold "+pool.Name+"-a of admin")
	if files["drainplans/"+pool.Nodes[0]+".yaml"] == "" {
		t.Error("the plan is missing, which a viewer may read")
	}
}

// mustGather runs the command, and returns the files of its archive and its summary.
func mustGather(t *testing.T, pool *env.Pool, kubeconfig string, args ...string) (files map[string]string, summary string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.tar.gz")
	args = append([]string{"must-gather", "--kubeconfig=" + kubeconfig, "--output=" + out}, args...)
	cmd := exec.CommandContext(t.Context(), pool.PlainServerBinary(), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "KUBERNETES_SERVICE_HOST=") // the tests themselves may run in a pod
	if err := cmd.Run(); err != nil || stdout.Len() > 0 {
		t.Fatalf("must-gather: %v\n%s%s", err, stdout.String(), stderr.String())
	}
	archive, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	return unpack(t, archive), stderr.String()
}

// unpack returns the files of an archive, without the name of its folder.
func unpack(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	files, entries := map[string]string{}, tar.NewReader(unzipped)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(header.Name, "/")
		files[name] = string(content)
	}
}

// sectionOf is what a timeline tells of a node.
func sectionOf(t *testing.T, timeline, node string) string {
	t.Helper()
	_, section, ok := strings.Cut(timeline, "\nNode "+node+": ")
	if !ok {
		t.Fatalf("nothing of node %s in:\n%s", node, timeline)
	}
	section, _, _ = strings.Cut(section, "\nNode ")
	return ": " + section
}

func wantInOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("want %q, after those before it, in:\n%s", part, text)
			return
		}
		rest = after
	}
}

// wantDocumented compares the files and folders of an archive with those that docs/must-gather.md shows.
func wantDocumented(t *testing.T, index string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "must-gather.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapters, _ := strings.Cut(index, "What each file is\n")
	chapters, _, _ = strings.Cut(chapters, "\n\n")
	for _, match := range regexp.MustCompile(`(?m)^  ([a-z]\S*) +(.*?)( \(.*\))?$`).FindAllStringSubmatch(chapters, -1) {
		wantContains(t, "docs/must-gather.md", string(page), match[1], match[2])
	}
}
