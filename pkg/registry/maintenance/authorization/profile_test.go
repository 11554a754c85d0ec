// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
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
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// questions remembers what it is asked, and refuses what it has been told to, by how it is asked.
type questions struct {
	mu     sync.Mutex
	asked  []string
	by     user.Info
	refuse []string
	err    error
}

func (q *questions) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	resource := strings.TrimSuffix(a.GetAPIGroup()+"/"+a.GetAPIVersion()+" "+a.GetResource()+"/"+a.GetSubresource(), "/")
	question := strings.TrimSpace(a.GetVerb() + " " + resource + " " + a.GetNamespace() + " " + a.GetName())
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked, q.by = append(q.asked, question), a.GetUser()
	if !a.IsResourceRequest() || slices.Contains(q.refuse, question) {
		return authorizer.DecisionNoOpinion, "", q.err
	}
	return authorizer.DecisionAllow, "", nil
}

const (
	createNodes = "create maintenance.medik8s.io/v1beta1 nodes/maintenance"
	forceNodes  = "force maintenance.medik8s.io/v1beta1 nodes/maintenance"
	patchNodes  = "patch /v1 nodes"
	createBoots = "create batch/v1 jobs boot"
	createJobs  = "create batch/v1 jobs ops"
	useHook     = "use maintenance.medik8s.io/v1beta1 maintenanceendpoints  hook"
	usePool     = "use maintenance.medik8s.io/v1beta1 maintenancepools  web"
	useProm     = "use maintenance.medik8s.io/v1beta1 maintenanceendpoints  prom"
	getKinds    = "get example.com/v1 kinds"
	listKinds   = "list example.com/v1 kinds"
	watchKinds  = "watch example.com/v1 kinds"
	getThings   = "get example.com/v1 things shop"
	patchThings = "patch example.com/v1 things shop"
)

// doesAll is a profile that has the server do everything that needs a permission.
func doesAll(change ...func(*v1beta1.MaintenanceProfileSpec)) *v1beta1.MaintenanceProfile {
	profile := &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "flatcar"},
		Spec: v1beta1.MaintenanceProfileSpec{
			Mode:  v1beta1.ProfileActive,
			Nodes: v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{}, Names: []string{"worker-1"}},
			Checks: []v1beta1.ProfileCheck{
				{Name: "a", Object: &v1beta1.ObjectCheck{APIVersion: "example.com/v1", Resource: "kinds"}},
				{Name: "b", Prometheus: &v1beta1.PrometheusCheck{Endpoint: "prom"}},
				{Name: "i", Stagger: &v1beta1.StaggerCheck{Pool: "web"}},
			},
			Triggers: []v1beta1.ProfileTrigger{
				{Name: "c", PatchNode: &v1beta1.PatchNodeTrigger{}},
				{Name: "d", Hold: &v1beta1.HoldTrigger{Drain: &v1beta1.DrainSpec{OnTimeout: v1beta1.OnTimeoutDelete}}},
				{Name: "e", Job: &v1beta1.JobTrigger{Namespace: "ops"}},
				{Name: "f", PatchObject: &v1beta1.PatchObjectTrigger{APIVersion: "example.com/v1", Resource: "things", Namespace: "shop"}},
				{Name: "g", Webhook: &v1beta1.WebhookTrigger{Endpoint: "hook"}},
				{Name: "j", Reboot: &v1beta1.RebootTrigger{Job: &v1beta1.JobTrigger{Namespace: "boot"}}},
				{Name: "k", Reboot: &v1beta1.RebootTrigger{}},
			},
			Notifiers: []v1beta1.ProfileNotifier{{Name: "h", Webhook: &v1beta1.WebhookNotifier{Endpoint: "hook"}}},
			States: v1beta1.ProfileStates{InMaintenance: v1beta1.ProfileStateSpec{
				Hold: &v1beta1.ProfileHold{Drain: v1beta1.DrainSpec{GracePeriodSeconds: ptr.To[int64](1)}},
			}},
		},
	}
	for _, c := range change {
		c(&profile.Spec)
	}
	return profile
}

func profileWrite(profile, old *v1beta1.MaintenanceProfile) admission.Attributes {
	operation, object, before := admission.Create, runtime.Object(profile), runtime.Object(nil)
	if old != nil {
		operation, before = admission.Update, old
	}
	return admission.NewAttributesRecord(object, before, v1beta1.SchemeGroupVersion.WithKind("MaintenanceProfile"), "", "flatcar",
		v1beta1.SchemeGroupVersion.WithResource("maintenanceprofiles"), "", operation, nil, false, &user.DefaultInfo{Name: "alice"})
}

// Authors need all that the profile does, unless they only have it do less.
func TestAuthorsOfProfiles(t *testing.T) {
	type spec = v1beta1.MaintenanceProfileSpec
	all := []string{
		createNodes, createBoots, createJobs, forceNodes, forceNodes, getKinds, getThings, listKinds, patchNodes, patchThings, useHook, usePool, useProm, watchKinds,
	}
	for name, test := range map[string]struct {
		old    *v1beta1.MaintenanceProfile
		change func(*spec)
		want   []string
	}{
		"a new one":        {change: func(*spec) {}, want: all},
		"nothing":          {old: doesAll(), change: func(*spec) {}},
		"pause":            {old: doesAll(), change: func(s *spec) { s.Mode = v1beta1.ProfilePaused }},
		"only say":         {old: doesAll(), change: func(s *spec) { s.Mode = v1beta1.ProfileDryRun }},
		"resume":           {old: doesAll(func(s *spec) { s.Mode = v1beta1.ProfilePaused }), change: func(*spec) {}, want: all},
		"other nodes":      {old: doesAll(), change: func(s *spec) { s.Nodes.Unlabelled = true }, want: all},
		"another alias":    {old: doesAll(), change: func(s *spec) { s.Alias = "esx" }, want: all},
		"other states":     {old: doesAll(), change: func(s *spec) { s.States.Operational.Enter = []string{"c"} }, want: all},
		"another priority": {old: doesAll(), change: func(s *spec) { s.Priority = 1 }, want: all},
		"another place of a check": {
			old: doesAll(), change: func(s *spec) { s.Checks[0], s.Checks[1] = s.Checks[1], s.Checks[0] }, want: all,
		},
		"a check less": {
			old: doesAll(), change: func(s *spec) { s.Checks = s.Checks[1:] }, want: slices.DeleteFunc(slices.Clone(all), func(q string) bool {
				return strings.Contains(q, "example.com/v1 kinds")
			}),
		},
		"the same endpoint again": {old: doesAll(), change: func(s *spec) { s.Notifiers = append(s.Notifiers, s.Notifiers[0]) }, want: all},
	} {
		t.Run(name, func(t *testing.T) {
			q := &questions{}
			if err := New(q, "").Validate(t.Context(), profileWrite(doesAll(test.change), test.old), nil); err != nil {
				t.Errorf("refused: %v", err)
			}
			slices.Sort(q.asked)
			want := slices.Sorted(slices.Values(test.want))
			if !slices.Equal(q.asked, want) {
				t.Errorf("asked %q, want %q", q.asked, want)
			}
		})
	}
}

func TestWhatAuthorsLack(t *testing.T) {
	for lacking, want := range map[string]string{
		createNodes: `User "alice" cannot create resource "nodes/maintenance" in API group "maintenance.medik8s.io", which the profile asks for`,
		forceNodes:  `cannot force resource "nodes/maintenance" in API group "maintenance.medik8s.io", which spec.states.inMaintenance.hold.drain.gracePeriodSeconds asks for`,
		patchNodes:  `cannot patch resource "nodes" in API group "", which spec.triggers[0].patchNode asks for`,
		createJobs:  `cannot create resource "jobs" in API group "batch" in the namespace "ops", which spec.triggers[2].job asks for`,
		createBoots: `cannot create resource "jobs" in API group "batch" in the namespace "boot", which spec.triggers[5].reboot.job asks for`,
		patchThings: `cannot patch resource "things" in API group "example.com" in the namespace "shop", which spec.triggers[3].patchObject asks for`,
		watchKinds:  `cannot watch resource "kinds" in API group "example.com", which spec.checks[0].object asks for`,
		usePool:     `cannot use resource "maintenancepools" in API group "maintenance.medik8s.io" named "web", which spec.checks[2].stagger.pool asks for`,
		useHook:     `cannot use resource "maintenanceendpoints" in API group "maintenance.medik8s.io" named "hook", which spec.triggers[4].webhook.endpoint asks for`,
	} {
		err := New(&questions{refuse: []string{lacking}}, "").Validate(t.Context(), profileWrite(doesAll(), nil), nil)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: got %v, want a 403 that says %s", lacking, err, want)
		}
		err = New(&questions{refuse: []string{lacking}, err: errors.New("no route")}, "").Validate(t.Context(), profileWrite(doesAll(), nil), nil)
		if !apierrors.IsInternalError(err) {
			t.Errorf("without an answer: got %v, want a 500", err)
		}
	}
}

// A team may write a profile for the nodes that it may maintain.
func TestAuthorsWithNodesOfTheirOwn(t *testing.T) {
	own := func(spec *v1beta1.MaintenanceProfileSpec) {
		*spec = v1beta1.MaintenanceProfileSpec{Mode: v1beta1.ProfileActive, Nodes: v1beta1.ProfileNodes{Names: []string{"worker-1", "worker-2"}}}
	}
	q := &questions{refuse: []string{createNodes}}
	if err := New(q, "").Validate(t.Context(), profileWrite(doesAll(own), nil), nil); err != nil {
		t.Errorf("refused: %v", err)
	}
	if want := []string{createNodes, createNodes + "  worker-1", createNodes + "  worker-2"}; !slices.Equal(q.asked, want) {
		t.Errorf("asked %q, want %q", q.asked, want)
	}
	err := New(&questions{refuse: []string{createNodes, createNodes + "  worker-2"}}, "").Validate(t.Context(), profileWrite(doesAll(own), nil), nil)
	if err == nil || !strings.Contains(err.Error(), `named "worker-2"`) {
		t.Errorf("got %v, want that worker-2 is refused", err)
	}
	byLabel := func(spec *v1beta1.MaintenanceProfileSpec) { spec.Nodes.ByLabel = true }
	if err := New(&questions{refuse: []string{createNodes}}, "").Validate(t.Context(), profileWrite(doesAll(own, byLabel), nil), nil); !apierrors.IsForbidden(err) {
		t.Errorf("by label too: got %v, want a 403", err)
	}
}

// A node that a profile leaves is finished as its new author says, who needs the permissions for that node, too.
func TestAuthorsFinishNodesThatLeave(t *testing.T) {
	names := func(names ...string) *v1beta1.MaintenanceProfile {
		return &v1beta1.MaintenanceProfile{Spec: v1beta1.MaintenanceProfileSpec{Mode: v1beta1.ProfileActive, Nodes: v1beta1.ProfileNodes{Names: names}}}
	}
	paused := names("worker-1", "worker-2")
	paused.Spec.Mode = v1beta1.ProfilePaused
	for name, test := range map[string]struct {
		new, old *v1beta1.MaintenanceProfile
		want     bool
	}{
		"it is taken over":           {new: names("worker-1"), old: names("worker-2")},
		"the node has left before":   {new: names("worker-1", "worker-3"), old: names("worker-1")},
		"it does less":               {new: paused, old: names("worker-1", "worker-2"), want: true},
		"nothing has begun there":    {new: names("worker-1"), old: names("worker-1", "worker-3"), want: true},
		"a new one, of another team": {new: names("worker-1"), want: true},
	} {
		begun := []string{"worker-1", "worker-2"}
		if test.want && test.old != nil && test.new != paused {
			begun = begun[:1]
		}
		plugin := New(&questions{refuse: []string{createNodes, createNodes + "  worker-2"}}, "")
		plugin.KnowWhatIsUnderWay(func(context.Context, string) (UnderWay, error) { return UnderWay{Begun: begun}, nil })
		err := plugin.Validate(t.Context(), profileWrite(test.new, test.old), nil)
		if may := err == nil; may != test.want || !may && !strings.Contains(err.Error(), `named "worker-2"`) {
			t.Errorf("%s: got %v, want that it may: %t", name, err, test.want)
		}
	}
}

// For the status of a profile, RBAC is enough.
func TestStatusOfProfiles(t *testing.T) {
	q := &questions{}
	attributes := admission.NewAttributesRecord(doesAll(), doesAll(), v1beta1.SchemeGroupVersion.WithKind("MaintenanceProfile"), "", "flatcar",
		v1beta1.SchemeGroupVersion.WithResource("maintenanceprofiles"), "status", admission.Update, nil, false, &user.DefaultInfo{Name: "alice"})
	if err := New(q, "").Validate(t.Context(), attributes, nil); err != nil || len(q.asked) > 0 {
		t.Errorf("got %v, asked %q", err, q.asked)
	}
}

// Who has the server give nodes back that a profile holds needs what a delete of the hold needs.
func TestProfilesThatGiveBack(t *testing.T) {
	type spec = v1beta1.MaintenanceProfileSpec
	const deleteNodes = "delete maintenance.medik8s.io/v1beta1 nodes/maintenance"
	release := func(s *spec) { s.OnDetach = v1beta1.DetachRelease }
	dryRun := func(s *spec) { s.Mode = v1beta1.ProfileDryRun }
	only := func(names ...string) func(*spec) {
		return func(s *spec) { s.Nodes = v1beta1.ProfileNodes{Names: names} }
	}
	deleted := func(profile *v1beta1.MaintenanceProfile) *v1beta1.MaintenanceProfile {
		profile.DeletionTimestamp = &metav1.Time{}
		return profile
	}
	owned := func(profile *v1beta1.MaintenanceProfile) *v1beta1.MaintenanceProfile {
		profile.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "gone"}}
		return profile
	}
	for name, test := range map[string]struct {
		new, old *v1beta1.MaintenanceProfile
		want     []string
	}{
		"a delete":                         {old: doesAll()},
		"a delete that releases":           {old: doesAll(release), want: []string{"worker-1", "worker-2"}},
		"a delete of what nobody finishes": {old: doesAll(dryRun), want: []string{"worker-1", "worker-2"}},
		"it says only":                     {new: doesAll(dryRun), old: doesAll()},
		"it says only, while it goes":      {new: deleted(doesAll(dryRun)), old: deleted(doesAll()), want: []string{"worker-1", "worker-2"}},
		"it releases, while it goes":       {new: deleted(doesAll(release)), old: deleted(doesAll()), want: []string{"worker-1", "worker-2"}},
		"it has gone":                      {new: deleted(doesAll(release)), old: deleted(doesAll(release))},
		"it is to release":                 {new: doesAll(release), old: doesAll(), want: []string{"worker-1", "worker-2"}},
		"it releases as before":            {new: doesAll(release, func(s *spec) { s.Priority = 1 }), old: doesAll(release)},
		"a node leaves":                    {new: doesAll(only("worker-1")), old: doesAll(only("worker-1", "worker-2"))},
		"a node leaves at once":            {new: doesAll(release, only("worker-1")), old: doesAll(release, only("worker-1", "worker-2")), want: []string{"worker-2"}},
		"all leave at once":                {new: doesAll(release, only()), old: doesAll(release), want: []string{"worker-1", "worker-2"}},
		"it gets an owner":                 {new: owned(doesAll(only("worker-1"))), old: doesAll(only("worker-1")), want: []string{"worker-1", "worker-2"}},
		"it keeps its owner":               {new: owned(doesAll(release)), old: owned(doesAll(release))},
		"it loses its owner":               {new: doesAll(release), old: owned(doesAll(release))},
		"another alias":                    {new: doesAll(release, func(s *spec) { s.Alias = "esx" }), old: doesAll(release, only("worker-1")), want: []string{"worker-1", "worker-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			attributes := profileWrite(test.new, test.old)
			if test.new == nil {
				attributes = admission.NewAttributesRecord(nil, test.old, v1beta1.SchemeGroupVersion.WithKind("MaintenanceProfile"), "", "flatcar",
					v1beta1.SchemeGroupVersion.WithResource("maintenanceprofiles"), "", admission.Delete, nil, false, &user.DefaultInfo{Name: "alice"})
			}
			q := &questions{refuse: []string{deleteNodes}}
			plugin := New(q, "")
			plugin.KnowWhatIsUnderWay(func(_ context.Context, profile string) (UnderWay, error) {
				if profile != "flatcar" {
					t.Errorf("asked for the nodes of %q", profile)
				}
				return UnderWay{Nodes: []string{"worker-1", "worker-2"}, Jobs: slices.Repeat([]string{"shop/flash on node worker-1"}, 7)}, nil
			})
			said := &warnings{}
			if err := plugin.Validate(warning.WithWarningRecorder(t.Context(), said), attributes, nil); err != nil {
				t.Errorf("refused: %v", err)
			}
			var wantSaid []string
			if len(test.want) > 0 && (test.new == nil || test.old.DeletionTimestamp != nil) {
				wantSaid = append(slices.Repeat([]string{"Job shop/flash on node worker-1 is stopped: " +
					"a profile that is deleted with onDetach: Release or mode: DryRun finishes nothing"}, 5), "2 other Jobs are stopped, too")
			}
			if !slices.Equal(said.texts, wantSaid) {
				t.Errorf("warned of %q, want %q", said.texts, wantSaid)
			}
			var asked []string
			for _, question := range q.asked {
				if node, found := strings.CutPrefix(question, deleteNodes+"  "); found {
					asked = append(asked, node)
				}
			}
			if slices.Sort(asked); !slices.Equal(asked, test.want) {
				t.Errorf("asked about %q, want %q", asked, test.want)
			}
			q.refuse = append(q.refuse, deleteNodes+"  worker-2")
			err := plugin.Validate(t.Context(), attributes, nil)
			const want = `User "alice" cannot delete resource "nodes/maintenance" in API group "maintenance.medik8s.io" named "worker-2", which giving back what the profile holds asks for`
			if len(test.want) > 0 && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want)) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	const ownerless = `cannot delete resource "nodes/maintenance" in API group "maintenance.medik8s.io", which metadata.ownerReferences asks for`
	err := New(&questions{refuse: []string{deleteNodes}}, "").Validate(t.Context(), profileWrite(owned(doesAll()), nil), nil)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), ownerless) {
		t.Errorf("a new one with an owner: got %v, want %s", err, ownerless)
	}
	plugin := New(&questions{refuse: []string{deleteNodes}}, "")
	for held, want := range map[int]bool{0: true, maxReleased: true, maxReleased + 1: false} {
		plugin.KnowWhatIsUnderWay(func(context.Context, string) (UnderWay, error) {
			return UnderWay{Nodes: slices.Repeat([]string{"a"}, held)}, nil
		})
		if err := plugin.Validate(t.Context(), profileWrite(doesAll(release), doesAll()), nil); (err == nil) != want {
			t.Errorf("with %d nodes: got %v, want that it may: %t", held, err, want)
		}
	}
	plugin.KnowWhatIsUnderWay(func(context.Context, string) (UnderWay, error) { return UnderWay{}, errors.New("no store") })
	if err := plugin.Validate(t.Context(), profileWrite(doesAll(release), doesAll()), nil); !apierrors.IsInternalError(err) {
		t.Errorf("while nobody knows: got %v, want a 500", err)
	}
}

func TestAuthorizeDecision(t *testing.T) {
	const veto = "veto maintenance.medik8s.io/v1beta1 nodes/profiles  worker-1"
	ctx := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: "alice"})
	q := &questions{}
	if err := New(q, "").AuthorizeDecision(ctx, "veto", "worker-1", "worker-1.flatcar"); err != nil || !slices.Equal(q.asked, []string{veto}) {
		t.Errorf("got %v, asked %q, want %q", err, q.asked, veto)
	}
	err := New(&questions{refuse: []string{veto}}, "").AuthorizeDecision(ctx, "veto", "worker-1", "worker-1.flatcar")
	if want := `User "alice" cannot veto resource "nodes/profiles" in API group "maintenance.medik8s.io" named "worker-1"`; !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a 403 that says %s", err, want)
	}
	if err := New(&questions{refuse: []string{veto}, err: errors.New("no route")}, "").AuthorizeDecision(ctx, "veto", "worker-1", "x"); !apierrors.IsInternalError(err) {
		t.Errorf("without an answer: got %v, want a 500", err)
	}
	if err := New(q, "").AuthorizeDecision(t.Context(), "veto", "worker-1", "x"); !apierrors.IsInternalError(err) {
		t.Errorf("without a user: got %v, want a 500", err)
	}
}

// Authors are asked about again, with what the server knew of them.
func TestVouch(t *testing.T) {
	author := &v1beta1.Author{Username: "alice", UID: "1", Groups: []string{"ops"}}
	profile := &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: "flatcar"}, Spec: v1beta1.MaintenanceProfileSpec{Nodes: v1beta1.ProfileNodes{ByLabel: true}}}
	endpoint := &v1beta1.MaintenanceEndpoint{
		ObjectMeta: metav1.ObjectMeta{Name: "mail"}, Spec: v1beta1.MaintenanceEndpointSpec{SecretRef: &v1beta1.EndpointSecretReference{Name: "mail"}},
	}
	if reason, lacks, err := New(&questions{refuse: []string{createNodes}}, "ops").VouchForProfile(t.Context(), profile); reason != "" || err != nil {
		t.Errorf("a profile without an author: got %s, %s, %v", reason, lacks, err)
	}
	if err := New(&questions{}, "ops").VouchForEndpoint(t.Context(), endpoint); !apierrors.IsForbidden(err) {
		t.Errorf("an endpoint without an author: got %v, want a 403", err)
	}
	profile.Status.Author, endpoint.Status.Author = author, author
	for question, vouch := range map[string]func(*Plugin) (refused bool, err error){
		createNodes: func(p *Plugin) (bool, error) {
			reason, lacks, err := p.VouchForProfile(t.Context(), profile)
			return reason == v1beta1.ReasonAuthorLost && strings.HasPrefix(lacks, `User "alice" cannot create`), err
		},
		getSecret: func(p *Plugin) (bool, error) {
			err := p.VouchForEndpoint(t.Context(), endpoint)
			if apierrors.IsForbidden(err) {
				return true, nil
			}
			return false, err
		},
	} {
		q := &questions{}
		if refused, err := vouch(New(q, "ops")); refused || err != nil || !slices.Equal(q.asked, []string{question}) || q.by.GetName() != "alice" || q.by.GetUID() != "1" || !slices.Equal(q.by.GetGroups(), author.Groups) {
			t.Errorf("refused %t, %v, asked %q about %v", refused, err, q.asked, q.by)
		}
		if refused, err := vouch(New(&questions{refuse: []string{question}}, "ops")); !refused || err != nil {
			t.Errorf("without %s: refused %t, %v", question, refused, err)
		}
		if refused, err := vouch(New(&questions{refuse: []string{question}, err: errors.New("no route")}, "ops")); refused || !apierrors.IsInternalError(err) {
			t.Errorf("without an answer: refused %t, %v, want a 500", refused, err)
		}
	}
}

// What the server itself may not do is warned of at the write, and keeps a profile from starting.
func TestServerLacks(t *testing.T) {
	const (
		job = `spec.triggers[2].job: the server itself cannot create resource "jobs" in API group "batch" in the namespace "ops": ` +
			"have the admin permit that (the chart's value profiles.allowJobs and profiles.jobNamespaces)"
		reboot = `spec.triggers[5].reboot.job: the server itself cannot create resource "jobs" in API group "batch" in the namespace "boot": ` +
			"have the admin permit that (the chart's value profiles.allowJobs and profiles.jobNamespaces)"
		until = ". Until then, the profile starts nothing"
	)
	said := &warnings{}
	ctx := warning.WithWarningRecorder(t.Context(), said)
	plugin, asked := New(&questions{}, ""), 0
	plugin.AskForServer(func(_ context.Context, question authorizer.AttributesRecord) (bool, error) {
		asked++
		return question.Resource != "jobs", nil
	})
	if err := plugin.Validate(ctx, profileWrite(doesAll(func(s *v1beta1.MaintenanceProfileSpec) { s.Triggers = append(s.Triggers, s.Triggers[2]) }), nil), nil); err != nil {
		t.Errorf("refused: %v", err)
	}
	if !slices.Equal(said.texts, []string{job + until, reboot + until}) || asked != 7 {
		t.Errorf("warned of %q after %d questions", said.texts, asked)
	}
	stored := doesAll()
	if reason, lacks, err := plugin.VouchForProfile(t.Context(), stored); reason != v1beta1.ReasonNotPermitted || lacks != job+"; "+reboot || err != nil {
		t.Errorf("got %s, %s, %v", reason, lacks, err)
	}
	plugin.AskForServer(func(context.Context, authorizer.AttributesRecord) (bool, error) { return false, errors.New("no route") })
	if _, _, err := plugin.VouchForProfile(t.Context(), stored); err == nil {
		t.Error("while nobody can tell: got no error")
	}
	if err := plugin.Validate(t.Context(), profileWrite(doesAll(), nil), nil); err != nil {
		t.Errorf("while nobody can tell: refused: %v", err)
	}
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }
