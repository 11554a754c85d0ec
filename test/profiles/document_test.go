// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// docs/profiles.md can be followed.
func TestProfilesDocument(t *testing.T) {
	p := newPool(t, 6)
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 12, p.Selector()))
	t.Cleanup(func() { p.removeProfiles(t, "flatcar", "esx", "kubernikus") })
	dana, err := p.Cluster.UserKubeconfig("dana")
	if err != nil {
		t.Fatal(err)
	}
	session := document.NewSession(t, p.Pool)
	// The document says what comes a moment after that for which it waits.
	for command, more := range map[string][]string{
		"kubectl wait --for=jsonpath='{.status.counts.maintenanceRequired}'=1 mprof/flatcar": {"--for=jsonpath={.status.counts.operational}=2", "mprof/flatcar"},
		"kubectl wait --for=jsonpath='{.status.state}'=InMaintenance nprof/worker-2.flatcar": {"--for=jsonpath={.status.transition.steps[0].state}=Running", "nprof/" + p.Nodes[1] + ".flatcar"},
	} {
		session.After(command, func(t *testing.T) {
			p.Kubectl().Must(t, "", append([]string{"wait", "--timeout=" + env.Timeout.String()}, more...)...)
		})
	}
	session.Check(t, "profiles.md", map[string]string{"admin": p.Cluster.Kubeconfig(), "dana": dana})
}

var (
	// example is a row of a table, whose last cell is a part of a profile, or of an endpoint.
	example = regexp.MustCompile("^\\| `([a-zA-Z]+)` \\|.* `({.*})` \\|$")
	// endpointName is what an example calls an endpoint: as its kind.
	endpointName = regexp.MustCompile(`endpoint: ([a-z]+)`)
	// wantExamples are how many of each kind there are. Each field of a check but its name is one.
	wantExamples = map[string]int{
		"check": reflect.TypeFor[v1beta1.ProfileCheck]().NumField() - 1, "trigger": 7, "notifier": 4, "endpoint": 6,
	}
)

// row is an example of a check, a trigger, a notifier or an endpoint.
type row struct{ name, yaml string }

// Every example in the tables of docs/profiles-reference.md is one that the server takes.
func TestExamplesOfTheDocument(t *testing.T) {
	p := newPool(t, 0)
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "profiles-reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := examples(string(content))
	for kind, want := range wantExamples {
		if got := len(found[kind]); got != want {
			t.Errorf("%d examples of a kind of %s, want %d", got, kind, want)
		}
	}
	for _, endpoint := range found["endpoint"] {
		p.endpoint(t, endpoint)
	}
	profile := "kind: MaintenanceProfile\nmetadata: {name: POOL}\nspec:\n  nodes: {names: [POOL-absent]}\n"
	for _, kind := range []string{"check", "trigger", "notifier"} {
		profile += fmt.Sprintf("  %ss:\n", kind)
		for _, one := range found[kind] {
			profile += fmt.Sprintf("  - %s\n", one.yaml)
		}
	}
	profile = endpointName.ReplaceAllString(profile, "endpoint: POOL-$1")
	p.create(t, profile, "--dry-run=server")
}

// examples are those in the tables, by the title of their section: "Every check" and so on.
func examples(content string) map[string][]row {
	found, kind := map[string][]row{}, ""
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if title, isTitle := strings.CutPrefix(line, "## "); isTitle {
			kind = strings.TrimPrefix(title, "Every ")
		}
		if match := example.FindStringSubmatch(line); match != nil {
			found[kind] = append(found[kind], row{name: match[1], yaml: match[2]})
		}
	}
	return found
}

// endpoint creates an endpoint until the test's end.
func (p *pool) endpoint(t *testing.T, example row) {
	t.Helper()
	name := p.Name + "-" + example.name
	p.create(t, fmt.Sprintf("kind: MaintenanceEndpoint\nmetadata: {name: %s}\nspec: %s\n", name, example.yaml))
	t.Cleanup(func() {
		endpoints := p.Maintenance.MaintenanceV1beta1().MaintenanceEndpoints()
		if err := endpoints.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not delete endpoint %s: %v", name, err)
		}
	})
}

// create has kubectl create an object of our group, which must know every field. POOL stands for the name of the pool.
func (p *pool) create(t *testing.T, yaml string, args ...string) {
	t.Helper()
	yaml = "apiVersion: maintenance.medik8s.io/v1beta1\n" + strings.ReplaceAll(yaml, "POOL", p.Name)
	p.Kubectl().Must(t, yaml, append([]string{"create", "--validate=strict", "-f", "-"}, args...)...)
}
