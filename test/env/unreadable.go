// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// WaitForMetric waits until a metric of the server has the value.
func WaitForMetric(t *testing.T, server *localcluster.Server, name, value string) {
	t.Helper()
	Eventually(t, "the metric "+name+" is "+value, func(ctx context.Context) string {
		config, err := server.Config(ctx)
		if err != nil {
			return err.Error()
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err.Error()
		}
		metrics, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
		if err != nil {
			return err.Error()
		}
		for line := range strings.Lines(string(metrics)) {
			if found, is := strings.CutPrefix(strings.TrimSpace(line), name+" "); is && found == value {
				return ""
			} else if is {
				return "it is " + found
			}
		}
		return "there is none"
	})
}

// stillTime is how long a node is watched that must stay as it is.
const stillTime = 3 * time.Second

// holdResource names NodeMaintenances, whatever other kinds have the name nm.
const holdResource = "nodemaintenances.maintenance.medik8s.io"

// UnreadableHolds is the metric that counts holds which cannot be read.
const UnreadableHolds = `maintenance_store_unreadable_objects{resource="nodemaintenances"}`

// WantSetAside wants a hold that cannot be read to be set aside: others are listed, drained and given back, its node stays as
// it is, and everything says so. damage and repair change what is stored of a hold. The pool needs two nodes.
func (p *Pool) WantSetAside(t *testing.T, server *localcluster.Server, damage, repair func(name string)) {
	t.Helper()
	lost := p.Create(t, p.Hold("lost", p.Nodes[0])).Name
	p.WaitForHold(t, lost, "node drained", Drained)
	other := p.Create(t, p.Hold("other", p.Nodes[1])).Name
	p.WaitForHold(t, other, "other node drained", Drained)
	damage(lost)
	WaitForMetric(t, server, UnreadableHolds, "1")
	p.WaitForEvent(t, "Node", p.Nodes[0], "MaintenanceUnreadable", "is not given back", lost)
	p.WaitForEvent(t, "NodeMaintenance", lost, "CannotBeRead")

	listed := p.Kubectl().Try(t, "", "get", holdResource)
	want := "Warning: stored nodemaintenances that cannot be read, for which nothing is done: " + lost + " ("
	if !strings.Contains(listed.Stderr, want) {
		t.Errorf("kubectl get warns %q, want %q", listed.Stderr, want)
	}
	if !strings.Contains(listed.Stdout, lost) || !strings.Contains(listed.Stdout, other) || !strings.Contains(listed.Stdout, "Unreadable") {
		t.Errorf("kubectl get prints\n%s\nwant both holds, and that one is Unreadable", listed.Stdout)
	}
	if got := p.Kubectl().Try(t, "", "get", holdResource, lost); got.Code == 0 || !strings.Contains(got.Stderr, "is stored, but cannot be read") {
		t.Errorf("kubectl get %s: exit code %d, %s", lost, got.Code, got.Stderr)
	}
	p.Delete(t, other)
	p.WaitUntilCleanNode(t, p.Nodes[1])
	third := p.Create(t, p.Hold("third", p.Nodes[1])).Name
	p.WaitForHold(t, third, "other node drained again", Drained)
	p.Delete(t, third)
	p.WaitUntilCleanNode(t, p.Nodes[1])
	p.wantStillCordoned(t, p.Nodes[0])

	repair(lost)
	WaitForMetric(t, server, UnreadableHolds, "0")
	p.WaitForHold(t, lost, "it is drained as before", Drained)
	damage(lost)
	WaitForMetric(t, server, UnreadableHolds, "1")
	p.wantStillCordoned(t, p.Nodes[0])
	p.Kubectl().Must(t, "", "delete", holdResource, lost)
	WaitForMetric(t, server, UnreadableHolds, "0")
	p.WaitUntilCleanNode(t, p.Nodes[0])
}

// wantStillCordoned wants a node to be in maintenance for the next seconds.
func (p *Pool) wantStillCordoned(t *testing.T, name string) {
	t.Helper()
	Always(t, stillTime, "node "+name+" stays in maintenance", func(context.Context) string {
		if node := p.Node(t, name); !Cordoned(node) || node.Annotations[v1beta1.HoldsAnnotation] == "" {
			return fmt.Sprintf("it carries %s", MarksOn(node))
		}
		return ""
	})
}
