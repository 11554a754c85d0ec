// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// asked remembers what it is asked, and refuses one verb.
type asked struct {
	mu     sync.Mutex
	rights []string
	refuse string
	err    error
}

func (a *asked) Authorize(_ context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	right := attributes.GetVerb() + " " + attributes.GetResource() + "/" + attributes.GetSubresource() + " " + attributes.GetName()
	a.mu.Lock()
	a.rights = append(a.rights, right)
	a.mu.Unlock()
	if attributes.GetAPIGroup() != v1beta1.GroupName || !attributes.IsResourceRequest() {
		return authorizer.DecisionNoOpinion, "asked about another group", nil
	}
	if a.refuse != "" && strings.HasPrefix(right, a.refuse) {
		return authorizer.DecisionNoOpinion, "", a.err
	}
	return authorizer.DecisionAllow, "", nil
}

func makeHold(change ...func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: "worker-1", Requestor: "alice", Stage: v1beta1.StageDrain},
	}
	for _, c := range change {
		c(hold)
	}
	return hold
}

func bobs(hold *v1beta1.NodeMaintenance)     { hold.Spec.Requestor = "bob" }
func reason(hold *v1beta1.NodeMaintenance)   { hold.Spec.Reason = "new" }
func labelled(hold *v1beta1.NodeMaintenance) { hold.Labels = map[string]string{"a": "b"} }
func cordon(hold *v1beta1.NodeMaintenance)   { hold.Spec.Stage = v1beta1.StageCordon }
func elsewhere(hold *v1beta1.NodeMaintenance) {
	hold.Spec.NodeName = "worker-2"
}

func grace(hold *v1beta1.NodeMaintenance) {
	seconds := int64(1)
	hold.Spec.Drain.GracePeriodSeconds = &seconds
}

func deleting(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Drain.OnTimeout = v1beta1.OnTimeoutDelete
}

func reporting(hold *v1beta1.NodeMaintenance) {
	hold.Spec.Drain.OnTimeout = v1beta1.OnTimeoutReport
}

func shortly(hold *v1beta1.NodeMaintenance) { hold.Spec.ExpirationSeconds = ptr.To[int64](20) }

func timed(hold *v1beta1.NodeMaintenance)      { hold.Spec.Drain.TimeoutSeconds = ptr.To[int64](600) }
func overriding(hold *v1beta1.NodeMaintenance) { hold.Spec.OverrideQuorum = true }

func bypassing(hold *v1beta1.NodeMaintenance) { hold.Spec.BypassPolicies = true }
func important(hold *v1beta1.NodeMaintenance) { hold.Spec.Priority = 1 }
func urgent(hold *v1beta1.NodeMaintenance)    { hold.Spec.Priority = 100 }
func unhurried(hold *v1beta1.NodeMaintenance) { hold.Spec.Priority = -1 }

func ending(hold *v1beta1.NodeMaintenance) { hold.DeletionTimestamp = &metav1.Time{} }

func idle(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageIdle }

func owned(hold *v1beta1.NodeMaintenance) {
	hold.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "none", UID: "x"}}
}

func kept(hold *v1beta1.NodeMaintenance) { hold.Finalizers = []string{"example.com/kept"} }

func imported(hold *v1beta1.NodeMaintenance) {
	hold.Annotations = map[string]string{v1beta1.ImportedAnnotation: "{}"}
}

func running(hold *v1beta1.NodeMaintenance) { hold.Status.Phase = v1beta1.PhaseRunning }

type holds = []func(*v1beta1.NodeMaintenance)

// Alice writes.
func TestRightsAskedFor(t *testing.T) {
	tests := map[string]struct {
		operation   admission.Operation
		old, hold   holds
		subresource string
		want        []string
	}{
		"create":                    {operation: admission.Create, want: []string{"create nodes/maintenance worker-1"}},
		"create that may delete":    {operation: admission.Create, hold: holds{deleting}, want: []string{"create nodes/maintenance worker-1", "force nodes/maintenance worker-1"}},
		"create with a grace":       {operation: admission.Create, hold: holds{grace}, want: []string{"create nodes/maintenance worker-1", "force nodes/maintenance worker-1"}},
		"create by an import":       {operation: admission.Create, hold: holds{imported}, want: []string{"create nodes/maintenance worker-1", "update nodemaintenances/status a"}},
		"imported afterwards":       {operation: admission.Update, hold: holds{imported}, want: []string{"update nodes/maintenance worker-1", "update nodemaintenances/status a"}},
		"import taken back":         {operation: admission.Update, old: holds{imported}, want: []string{"update nodes/maintenance worker-1", "update nodemaintenances/status a"}},
		"update of an imported one": {operation: admission.Update, old: holds{imported}, hold: holds{imported, cordon}, want: []string{"update nodes/maintenance worker-1"}},
		"delete of an imported one": {operation: admission.Delete, old: holds{imported}, want: []string{"delete nodes/maintenance worker-1"}},
		"update":                    {operation: admission.Update, hold: holds{cordon}, want: []string{"update nodes/maintenance worker-1"}},
		"update to another node":    {operation: admission.Update, hold: holds{elsewhere}, want: []string{"update nodes/maintenance worker-1"}},
		"update of another's":       {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, cordon}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1"}},
		"another's reason":          {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, reason}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1"}},
		"another's metadata":        {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, labelled}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1"}},
		"nothing of another's":      {operation: admission.Update, old: holds{bobs}, hold: holds{bobs}, want: []string{"update nodes/maintenance worker-1"}},
		"own metadata":              {operation: admission.Update, hold: holds{labelled}, want: []string{"update nodes/maintenance worker-1"}},
		"another's owner":           {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, owned}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1"}},
		"another's finalizer":       {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, kept}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1"}},
		"own owner":                 {operation: admission.Update, hold: holds{owned}, want: []string{"update nodes/maintenance worker-1"}},
		"pause, where it deletes":   {operation: admission.Update, old: holds{deleting}, hold: holds{deleting, cordon}, want: []string{"update nodes/maintenance worker-1"}},
		"pause, and then delete":    {operation: admission.Update, old: holds{grace}, hold: holds{grace, deleting, cordon}, want: []string{"update nodes/maintenance worker-1", "force nodes/maintenance worker-1"}},
		"update to delete":          {operation: admission.Update, hold: holds{deleting}, want: []string{"update nodes/maintenance worker-1", "force nodes/maintenance worker-1"}},
		"another's, to delete":      {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, deleting}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1", "force nodes/maintenance worker-1"}},
		"stage, where it deletes":   {operation: admission.Update, old: holds{deleting, cordon}, hold: holds{deleting}, want: []string{"update nodes/maintenance worker-1", "force nodes/maintenance worker-1"}},
		"reason, where it deletes":  {operation: admission.Update, old: holds{deleting}, hold: holds{deleting, reason}, want: []string{"update nodes/maintenance worker-1"}},
		"to report after all":       {operation: admission.Update, old: holds{deleting}, hold: holds{reporting}, want: []string{"update nodes/maintenance worker-1"}},
		"status":                    {operation: admission.Update, subresource: "status", old: holds{bobs, deleting}, hold: holds{bobs, deleting, running}, want: []string{"update nodes/maintenance worker-1"}},
		"create that overrides":     {operation: admission.Create, hold: holds{overriding}, want: []string{"create nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"create that does both":     {operation: admission.Create, hold: holds{overriding, deleting}, want: []string{"create nodes/maintenance worker-1", "force nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"create, idle, overriding":  {operation: admission.Create, hold: holds{overriding, idle}, want: []string{"create nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"update to override":        {operation: admission.Update, hold: holds{overriding}, want: []string{"update nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"another's, to override":    {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, overriding}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1", "overridequorum nodes/maintenance worker-1"}},
		"overriding, other drain":   {operation: admission.Update, old: holds{overriding}, hold: holds{overriding, timed}, want: []string{"update nodes/maintenance worker-1"}},
		"overriding, reason":        {operation: admission.Update, old: holds{overriding}, hold: holds{overriding, reason}, want: []string{"update nodes/maintenance worker-1"}},
		"overriding, pause":         {operation: admission.Update, old: holds{overriding}, hold: holds{overriding, cordon}, want: []string{"update nodes/maintenance worker-1"}},
		"overriding, to idle":       {operation: admission.Update, old: holds{overriding, cordon}, hold: holds{overriding, idle}, want: []string{"update nodes/maintenance worker-1"}},
		"overriding, from idle":     {operation: admission.Update, old: holds{overriding, idle}, hold: holds{overriding, cordon}, want: []string{"update nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"overriding, to drain":      {operation: admission.Update, old: holds{overriding, cordon}, hold: holds{overriding}, want: []string{"update nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"overriding, for longer":    {operation: admission.Update, old: holds{overriding, shortly}, hold: holds{overriding}, want: []string{"update nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1"}},
		"overriding, to end":        {operation: admission.Update, old: holds{overriding}, hold: holds{overriding, shortly}, want: []string{"update nodes/maintenance worker-1"}},
		"to override no more":       {operation: admission.Update, old: holds{overriding}, want: []string{"update nodes/maintenance worker-1"}},
		"overriding, status":        {operation: admission.Update, subresource: "status", old: holds{overriding}, hold: holds{overriding, running}, want: []string{"update nodes/maintenance worker-1"}},
		"create that bypasses":      {operation: admission.Create, hold: holds{bypassing}, want: []string{"create nodes/maintenance worker-1", "bypass nodes/maintenance worker-1"}},
		"create that does it all":   {operation: admission.Create, hold: holds{bypassing, overriding, deleting, urgent}, want: []string{"create nodes/maintenance worker-1", "force nodes/maintenance worker-1", "overridequorum nodes/maintenance worker-1", "bypass nodes/maintenance worker-1", "prioritize nodes/maintenance worker-1"}},
		"update to bypass":          {operation: admission.Update, hold: holds{bypassing}, want: []string{"update nodes/maintenance worker-1", "bypass nodes/maintenance worker-1"}},
		"another's, to bypass":      {operation: admission.Update, old: holds{bobs}, hold: holds{bobs, bypassing}, want: []string{"update nodes/maintenance worker-1", "update nodes/holds worker-1", "bypass nodes/maintenance worker-1"}},
		"ending, to bypass":         {operation: admission.Update, old: holds{ending}, hold: holds{ending, bypassing}, want: []string{"update nodes/maintenance worker-1", "bypass nodes/maintenance worker-1"}},
		"bypassing, other drain":    {operation: admission.Update, old: holds{bypassing}, hold: holds{bypassing, timed}, want: []string{"update nodes/maintenance worker-1"}},
		"bypassing, reason":         {operation: admission.Update, old: holds{bypassing}, hold: holds{bypassing, reason}, want: []string{"update nodes/maintenance worker-1"}},
		"bypassing, pause":          {operation: admission.Update, old: holds{bypassing}, hold: holds{bypassing, cordon}, want: []string{"update nodes/maintenance worker-1"}},
		"bypassing, to drain":       {operation: admission.Update, old: holds{bypassing, cordon}, hold: holds{bypassing}, want: []string{"update nodes/maintenance worker-1", "bypass nodes/maintenance worker-1"}},
		"bypassing, for longer":     {operation: admission.Update, old: holds{bypassing, shortly}, hold: holds{bypassing}, want: []string{"update nodes/maintenance worker-1", "bypass nodes/maintenance worker-1"}},
		"bypassing, status":         {operation: admission.Update, subresource: "status", old: holds{bypassing, urgent}, hold: holds{bypassing, urgent, running}, want: []string{"update nodes/maintenance worker-1"}},
		"create with a priority":    {operation: admission.Create, hold: holds{important}, want: []string{"create nodes/maintenance worker-1", "prioritize nodes/maintenance worker-1"}},
		"create that can wait":      {operation: admission.Create, hold: holds{unhurried}, want: []string{"create nodes/maintenance worker-1"}},
		"update to a priority":      {operation: admission.Update, old: holds{unhurried}, hold: holds{important}, want: []string{"update nodes/maintenance worker-1", "prioritize nodes/maintenance worker-1"}},
		"update to a higher one":    {operation: admission.Update, old: holds{important}, hold: holds{urgent}, want: []string{"update nodes/maintenance worker-1", "prioritize nodes/maintenance worker-1"}},
		"update to a lower one":     {operation: admission.Update, old: holds{urgent}, hold: holds{important}, want: []string{"update nodes/maintenance worker-1"}},
		"update to none":            {operation: admission.Update, old: holds{unhurried}, want: []string{"update nodes/maintenance worker-1"}},
		"important, stage":          {operation: admission.Update, old: holds{important, cordon}, hold: holds{important}, want: []string{"update nodes/maintenance worker-1"}},
		"delete of a bypassing one": {operation: admission.Delete, old: holds{bypassing, urgent}, want: []string{"delete nodes/maintenance worker-1"}},
		"delete":                    {operation: admission.Delete, want: []string{"delete nodes/maintenance worker-1"}},
		"delete of one that forces": {operation: admission.Delete, old: holds{deleting}, want: []string{"delete nodes/maintenance worker-1"}},
		"delete of another's":       {operation: admission.Delete, old: holds{bobs}, want: []string{"delete nodes/maintenance worker-1", "delete nodes/holds worker-1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := &asked{}
			attributes := attributesOf(test.operation, test.subresource, makeHold(test.old...), makeHold(test.hold...))
			if err := New(a, "").Validate(t.Context(), attributes, nil); err != nil {
				t.Errorf("refused: %v", err)
			}
			if got, want := slices.Sorted(slices.Values(a.rights)), slices.Sorted(slices.Values(test.want)); !slices.Equal(got, want) {
				t.Errorf("asked for %q, want %q", got, want)
			}
			for _, right := range test.want {
				wantRefused(t, attributes, right)
			}
		})
	}
}

func attributesOf(operation admission.Operation, subresource string, old, hold *v1beta1.NodeMaintenance) admission.Attributes {
	var object, oldObject runtime.Object
	if operation != admission.Delete {
		object = hold
	}
	if operation != admission.Create {
		oldObject = old
	}
	return admission.NewAttributesRecord(object, oldObject, v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance"), "", "a",
		v1beta1.SchemeGroupVersion.WithResource("nodemaintenances"), subresource, operation, nil, false, &user.DefaultInfo{Name: "alice"})
}

// wantRefused checks that the lack of a right is told in the words of RBAC.
func wantRefused(t *testing.T, attributes admission.Attributes, right string) {
	t.Helper()
	err := New(&asked{refuse: right}, "").Validate(t.Context(), attributes, nil)
	words := strings.Fields(right)
	want := `User "alice" cannot ` + words[0] + ` resource "` + words[1] + `" in API group "maintenance.medik8s.io" named "` + words[2] + `"`
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("without %q: got %v, want a 403 that says %s", right, err, want)
	}
}

// everyRight is a write that needs three rights.
func everyRight() admission.Attributes {
	return attributesOf(admission.Update, "", makeHold(bobs), makeHold(bobs, deleting))
}

// meeting answers only when it is asked for all rights at once, and then says no to all.
type meeting struct{ missing sync.WaitGroup }

func (m *meeting) Authorize(_ context.Context, _ authorizer.Attributes) (authorizer.Decision, string, error) {
	m.missing.Done()
	m.missing.Wait()
	return authorizer.DecisionNoOpinion, "", nil
}

func TestRightsAreAskedForSideBySide(t *testing.T) {
	m := &meeting{}
	m.missing.Add(3)
	for range 20 {
		err := New(m, "").Validate(t.Context(), everyRight(), nil)
		if want := `cannot update resource "nodes/maintenance"`; !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Fatalf("got %v, want the first right that is lacking: %s", err, want)
		}
		m.missing.Add(3)
	}
}

// Each right counts, whatever the answers about the others are.
func TestOneAnswerThatFailsIsEnough(t *testing.T) {
	for _, right := range []string{"update nodes/maintenance", "update nodes/holds", "force nodes/maintenance"} {
		err := New(&asked{refuse: right, err: errors.New("no route to host")}, "").Validate(t.Context(), everyRight(), nil)
		if !apierrors.IsInternalError(err) {
			t.Errorf("without an answer about %q: got %v, want a 500", right, err)
		}
	}
}

// broken panics when it is asked for what comes after the first right.
type broken struct{ asked }

func (b *broken) Authorize(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if attributes.GetVerb() == "force" {
		panic("boom")
	}
	return b.asked.Authorize(ctx, attributes)
}

func TestPanicIsNoRight(t *testing.T) {
	if err := New(&broken{}, "").Validate(t.Context(), everyRight(), nil); !apierrors.IsInternalError(err) {
		t.Errorf("got %v, want a 500", err)
	}
}

func TestNoAnswerIsNoRight(t *testing.T) {
	attributes := attributesOf(admission.Create, "", nil, makeHold())
	err := New(&asked{refuse: "create", err: errors.New("no route to host")}, "").Validate(t.Context(), attributes, nil)
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusInternalServerError || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("got %v, want a 500 that says why", err)
	}
}

func TestUnknownObjectsAreRefused(t *testing.T) {
	for _, operation := range []admission.Operation{admission.Create, admission.Update, admission.Delete} {
		attributes := admission.NewAttributesRecord(nil, nil, v1beta1.SchemeGroupVersion.WithKind("NodeMaintenance"), "", "a",
			v1beta1.SchemeGroupVersion.WithResource("nodemaintenances"), "", operation, nil, false, &user.DefaultInfo{Name: "alice"})
		if err := New(&asked{}, "").Validate(t.Context(), attributes, nil); err == nil {
			t.Errorf("%s without an object went through", operation)
		}
	}
}

// What cannot be read is deleted by those who may delete anything unread, whatever they may do with nodes, and never by the
// server itself.
func TestDeletingUnread(t *testing.T) {
	const verb = "unsafe-delete-ignore-read-errors"
	lost := &v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: "cluster", Annotations: map[string]string{v1beta1.UnreadableAnnotation: "x"}}}
	alice, server := &user.DefaultInfo{Name: "alice"}, &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}}
	tests := map[string]struct {
		user      user.Info
		refuse    string
		err       error
		wantCode  int32
		wantAsked []string
	}{
		"permitted":     {user: alice, wantAsked: []string{verb + " maintenanceledgers/ cluster"}},
		"not permitted": {user: alice, refuse: verb, wantCode: http.StatusForbidden, wantAsked: []string{verb + " maintenanceledgers/ cluster"}},
		"not known": {
			user: alice, refuse: verb, err: errors.New("down"), wantCode: http.StatusInternalServerError, wantAsked: []string{verb + " maintenanceledgers/ cluster"},
		},
		"the server": {user: server, wantCode: http.StatusForbidden},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asked := &asked{refuse: test.refuse, err: test.err}
			attributes := admission.NewAttributesRecord(nil, lost, v1beta1.SchemeGroupVersion.WithKind("MaintenanceLedger"), "", "cluster",
				v1beta1.SchemeGroupVersion.WithResource("maintenanceledgers"), "", admission.Delete, nil, false, test.user)
			err := New(asked, "").Validate(genericapirequest.WithUser(t.Context(), test.user), attributes, nil)
			code := int32(0)
			if status := apierrors.APIStatus(nil); errors.As(err, &status) {
				code = status.Status().Code
			}
			if code != test.wantCode || !slices.Equal(asked.rights, test.wantAsked) {
				t.Errorf("error %v after asking for %q, want code %d after %q", err, asked.rights, test.wantCode, test.wantAsked)
			}
		})
	}
}
