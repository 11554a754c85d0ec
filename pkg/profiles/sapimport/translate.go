// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Options say what is translated, and how.
type Options struct {
	// Config is the main configuration, ESX and Kubernikus are those of the integrations. Those two may be left out.
	Config, ESX, Kubernikus File
	// CloudProvider is the file cloudprovider.conf with the credentials for OpenStack, for the check kubernikusCount.
	CloudProvider File
	// Variables are what ${V} stands for.
	Variables Variables
	// SecretNamespace is the namespace of the Secrets: that of the server's flag --secret-namespace.
	SecretNamespace string
	// AllowForce takes forceEviction over as deleting pods regardless of their disruption budgets.
	AllowForce bool
}

// File is a file that is translated.
type File struct {
	// Name is what the report calls it; empty: there is none.
	Name string
	// Text is what it says.
	Text []byte
}

// Result is what was translated. Profiles that use anything that cannot be mapped are left out.
type Result struct {
	// Secrets have the credentials, Endpoints are the servers that profiles call.
	Secrets   []corev1.Secret
	Endpoints []v1beta1.MaintenanceEndpoint
	Profiles  []v1beta1.MaintenanceProfile
	// InfoLabels are for the server's flag --sap-info-labels.
	InfoLabels []string
	// Report says what became of every key.
	Report Report
}

// translation is one translation.
type translation struct {
	options   Options
	result    *Result
	endpoints endpoints
	requeue   requeue

	checks    *instances[v1beta1.ProfileCheck]
	triggers  *instances[v1beta1.ProfileTrigger]
	notifiers *instances[v1beta1.ProfileNotifier]
	// threads are the Leases by which the controller shares threads of Slack, with the first notifier that names them.
	threads map[string]string
}

// Translate translates. It fails only if a file cannot be read at all; what is wrong with its keys is in the report.
func Translate(options Options) (*Result, error) {
	t := &translation{options: options, result: &Result{}, threads: map[string]string{}}
	top, err := t.open(options.Config)
	if err != nil {
		return nil, err
	}
	t.config(top)
	if err := t.integrations(); err != nil {
		return nil, err
	}
	t.endpoints.used(t.result, options.SecretNamespace)
	return t.result, nil
}

func (t *translation) open(file File) (*block, error) {
	doc := &document{file: file.Name, variables: t.options.Variables, report: &t.result.Report}
	return doc.read(file.Text)
}

// config translates the main configuration.
func (t *translation) config(top *block) {
	intervals := t.intervals(top)
	if instances := top.inner("instances"); instances != nil {
		t.checks = load(t, instances, "check", checkKinds, reservedForChecks)
		t.triggers = load(t, instances, "trigger", triggerKinds, nothingReserved)
		t.notifiers = load(t, instances, "notify", notifierKinds, nothingReserved)
		instances.done()
	}
	t.requeue.tell(intervals)
	t.profiles(top)
	if dashboard := top.inner("dashboard"); dashboard != nil {
		t.result.InfoLabels = dashboard.texts("labelFilter", optional)
		if len(t.result.InfoLabels) > 0 {
			dashboard.say("labelFilter", Changed, "set it with the flag --sap-info-labels of the server, beside --sap-info")
		}
		dashboard.done()
	}
	top.done()
	t.checks.dropUnused()
	t.triggers.dropUnused()
	t.notifiers.dropUnused()
}

// intervals reads the intervals, and returns them; nil if there are none.
func (t *translation) intervals(top *block) *block {
	intervals := top.inner("intervals")
	if intervals == nil {
		return nil
	}
	t.requeue = readRequeue(intervals)
	if intervals.text("notify", optional) != "" {
		intervals.say("notify", Dropped, "the controller ignores it: schedules say when notifiers send")
	}
	intervals.done()
	return intervals
}
