// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/importer"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// What is in the way of an import is said, and nothing is lost: the command may be run again. It runs alone: its
// lease of an operator is in the way of every import.
func TestImportRefusesAndGoesOn(t *testing.T) {
	o := newOperator(t, 1, "nodemaintenance.kubevirt.io", "v1beta1", "kubevirt.io/drain")
	before := o.essence(t, o.Nodes[0])
	name := o.Name + "-m"
	o.takeOut(t, o.Nodes[0])
	o.maintain(t, name, o.Nodes[0], map[string]any{"phase": "Succeeded", "totalpods": int64(1)})
	options := importer.Options{Groups: []string{o.group}, Confirm: true}

	election := o.lease(t, o.Name, "135b1886.kubevirt.io", "operator-1")
	out, err := runImport(t.Context(), o.Cluster.Config(), options)
	if err == nil || !strings.Contains(err.Error(), "the operator runs: operator-1 has renewed the Lease "+o.Name+"/135b1886.kubevirt.io") {
		t.Errorf("while the operator runs: got %v\n%s", err, out)
	}
	if err := o.Kube.CoordinationV1().Leases(o.Name).Delete(t.Context(), election.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	o.webhookThatIsDown(t)
	out, err = runImport(t.Context(), o.Cluster.Config(), options)
	if err == nil || !strings.Contains(err.Error(), "1 of 1 object could not be imported") {
		t.Errorf("while the webhook is down: got %v", err)
	}
	wantWords(t, out, "kubectl delete validatingwebhookconfiguration "+o.Name, "created NodeMaintenance "+name+", FAILED: could not remove the finalizer")

	if err := o.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(t.Context(), o.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the webhook is asked no more", o.imports(options))
	o.wantLetGo(t, name)
	o.WaitForHold(t, name, "drained as before", env.Drained)
	o.Delete(t, name)
	wantSame(t, o, o.Nodes[0], before)
	wantWords(t, confirmed(t, o.Env, o.group), "none: imported before as "+name+", which has ended")
	o.goOn(t, name)
	o.wantImportedWithoutCRD(t, name)
	o.Delete(t, name)
	wantSame(t, o, o.Nodes[0], before)
}

// goOn has the operator go on with an object, as after a way back to it.
func (o *operator) goOn(t *testing.T, name string) {
	t.Helper()
	patch := []byte(`{"metadata":{"finalizers":["` + operatorFinalizer + `"]}}`)
	if _, err := o.objects.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	o.takeOut(t, o.Nodes[0])
}

// wantImportedWithoutCRD deletes the CRD too early. Then the objects are imported all the same, to stay.
func (o *operator) wantImportedWithoutCRD(t *testing.T, name string) {
	t.Helper()
	crd := "crd/nodemaintenances." + o.group
	o.Kubectl().Must(t, "", "delete", crd, "--wait=false")
	env.Eventually(t, "the object is being deleted", func(ctx context.Context) string {
		object, err := o.objects.Get(ctx, name, metav1.GetOptions{})
		if err != nil || object.GetDeletionTimestamp() == nil {
			return fmt.Sprintf("it is not (%v)", err)
		}
		return ""
	})
	wantWords(t, confirmed(t, o.Env, o.group), "import as drained", "it is being deleted only because its CRD is", "created NodeMaintenance "+name)
	o.WaitForHold(t, name, "drained as before", env.Drained)
	o.Kubectl().Must(t, "", "wait", "--for=delete", crd, "--timeout="+env.Timeout.String())
}

// webhookThatIsDown is that of an operator that is scaled to 0.
func (o *operator) webhookThatIsDown(t *testing.T) {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: o.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:         "vnodemaintenance.kb.io",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: new("https://127.0.0.1:1")},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{o.group}, APIVersions: []string{"*"}, Resources: []string{"nodemaintenances"}},
			}},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	if _, err := o.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), configuration, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	env.Eventually(t, "the webhook is asked", o.updateRefused)
}

// Whoever may only take a node out of service must not tell the server what the node was like before.
func TestAnnotationNeedsThePermission(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	p := e.NewPool(t, 1)
	tenant := p.Name + "-tenant"
	p.Kubectl().Must(t, "", "create", "clusterrole", p.Name, "--verb=create", "--resource=nodemaintenances.maintenance.medik8s.io,nodes.maintenance.medik8s.io/maintenance")
	p.Kubectl().Must(t, "", "create", "clusterrolebinding", p.Name, "--clusterrole="+p.Name, "--user="+tenant)
	holds := e.MaintenanceAs(t, tenant).MaintenanceV1beta1().NodeMaintenances()
	forged := p.Hold("a", p.Nodes[0])
	forged.Annotations = map[string]string{v1beta1.ImportedAnnotation: "{}"}
	_, err := holds.Create(t.Context(), forged, metav1.CreateOptions{})
	want := fmt.Sprintf(`User %q cannot update resource "nodemaintenances/status" in API group "maintenance.medik8s.io" named %q, `+
		`which the annotation maintenance.medik8s.io/imported-from asks for`, tenant, forged.Name)
	// Validation comes first: what is not an import is not valid for anybody.
	if !apierrors.IsInvalid(err) {
		t.Errorf("malformed: got %v, want a 422", err)
	}
	forged.Annotations[v1beta1.ImportedAnnotation] = `{"apiVersion":"a/v1","name":"m","uid":"u","creationTime":"2026-01-02T03:00:00Z"}`
	if _, err := holds.Create(t.Context(), forged, metav1.CreateOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("well formed: got %v, want a 403 that says %s", err, want)
	}
}
