// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/shadow"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// sapNamespace is where the SAP maintenance-controller elects its leader, and leaseNamespace where its staggers have
	// their Leases. Both exist in every cluster.
	sapNamespace   = "kube-system"
	leaseNamespace = "default"
	// sapManager is the name by which it writes on nodes.
	sapManager = "maintenance-controller"
	// mirrorTimeout bounds the start of a control plane and of a server.
	mirrorTimeout = 3 * time.Minute
)

// startMirroring starts a control plane of the test's own: its server mirrors the controller on every node, and has all
// profiles do nothing while the controller runs.
func startMirroring(t *testing.T) *env.Env {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mirrorTimeout)
	defer cancel()
	options := env.ServerOptions()
	options.ChartValues = []string{
		"sap.mirrors=true", "sap.namespace=" + sapNamespace, "sap.leaseNamespaces={" + leaseNamespace + "}", "sap.info=true",
	}
	options.ExtraArgs = []string{"--sap-mirrors", "--sap-namespace=" + sapNamespace, "--sap-info", "--sap-info-labels=needed"}
	e, err := env.StartWith(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func newLease(namespace, name, holder string) *coordinationv1.Lease {
	now := metav1.NowMicro()
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, AcquireTime: &now, RenewTime: &now, LeaseDurationSeconds: ptr.To[int32](3600)},
	}
}

func (p *pool) createLease(t *testing.T, lease *coordinationv1.Lease) {
	t.Helper()
	if _, err := p.Kube.CoordinationV1().Leases(lease.Namespace).Create(t.Context(), lease, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create lease %s: %v", lease.Name, err)
	}
}

// startSAP has the controller run, as its Lease says, and waits until the server knows that. Before, the server writes on
// nodes what the controller is to have left.
func startSAP(t *testing.T, e *env.Env) {
	t.Helper()
	p := &pool{Pool: e.NewPool(t, 1)}
	p.lead(t)
	p.seesSAP(t, p.profile(t, "probe", cycle), p.Nodes[0])
}

// lead has a replica of the controller be its leader.
func (p *pool) lead(t *testing.T) {
	t.Helper()
	p.createLease(t, newLease(sapNamespace, shadow.LeaseName, "maintenance-controller-0"))
}

// seesSAP waits until a profile says on a node that it does nothing, since the controller runs.
func (p *pool) seesSAP(t *testing.T, profile, node string) *v1beta1.NodeProfile {
	t.Helper()
	return p.wait(t, profile, node, "it says that the controller runs", func(s *v1beta1.NodeProfileStatus) bool {
		acting := apimeta.FindStatusCondition(s.Conditions, v1beta1.ConditionActing)
		return acting != nil && acting.Reason == v1beta1.ReasonOtherController &&
			strings.Contains(acting.Message, "maintenance-controller-0 has the Lease")
	})
}

// stopSAP has the controller run no more.
func (p *pool) stopSAP(t *testing.T) {
	t.Helper()
	if err := p.Kube.CoordinationV1().Leases(sapNamespace).Delete(t.Context(), shadow.LeaseName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// sapWrites changes a node as the controller does.
func (p *pool) sapWrites(t *testing.T, node string, patch map[string]any) {
	t.Helper()
	text, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, text, metav1.PatchOptions{FieldManager: sapManager}); err != nil {
		t.Fatalf("could not patch node %s: %v", node, err)
	}
}

// sapLeaves has the controller write on a node that the pool's profile is in a state there, since a while.
func (p *pool) sapLeaves(t *testing.T, node, state string, cordoned bool) {
	t.Helper()
	data := sapdata.Data{Profiles: map[string]*sapdata.ProfileData{
		p.Name: {Transition: time.Now().Add(-time.Hour).UTC(), Current: state, Previous: state},
	}, Notifications: map[string]time.Time{}}
	p.sapWrites(t, node, map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]string{v1beta1.StateLabel: state, v1beta1.DefaultProfileLabel: p.Name},
			"annotations": map[string]string{sapdata.Annotation: data.String()},
		},
		"spec": map[string]any{"unschedulable": cordoned},
	})
	if cordoned {
		env.Eventually(t, node+" has the taint of its cordon", func(ctx context.Context) string {
			found, err := p.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
			if err == nil && len(found.Spec.Taints) == 0 {
				err = fmt.Errorf("no taint")
			}
			if err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// essence is what people and programs write on a node.
func (p *pool) essence(t *testing.T, node string) map[string]any {
	t.Helper()
	n := p.Node(t, node)
	conditions := map[corev1.NodeConditionType]corev1.ConditionStatus{}
	for _, condition := range n.Status.Conditions {
		conditions[condition.Type] = condition.Status
	}
	return map[string]any{
		"labels": n.Labels, "annotations": n.Annotations, "finalizers": n.Finalizers, "spec": n.Spec, "conditions": conditions,
	}
}

// marked waits until a node has what the controller would write for a state of the pool's profile.
func (p *pool) marked(t *testing.T, node, state string) {
	t.Helper()
	env.Eventually(t, node+" is marked "+state, func(ctx context.Context) string {
		n, err := p.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		text := n.Annotations[sapdata.Annotation]
		data, err := sapdata.Parse(text)
		if err != nil {
			return err.Error()
		}
		if profile := data.Profiles[p.Name]; n.Labels[v1beta1.StateLabel] != state || profile == nil || profile.Current != state {
			return fmt.Sprintf("label %s, annotation %s", n.Labels[v1beta1.StateLabel], text)
		}
		return ""
	})
}
