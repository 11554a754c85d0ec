// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package profileimport

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapimport"
)

const config = `instances:
  check:
  - {type: hasLabel, name: due, config: {key: due}}
  notify:
  - {type: slack, name: chat, config: {hook: "${HOOK}", channel: a, message: m}, schedule: {type: oneshot, config: {}}}
profiles:
- name: p
  operational:
    notify: chat
    transitions:
    - {check: due, next: in-maintenance}
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRun(t *testing.T) {
	for name, test := range map[string]struct {
		config, env                string
		args                       []string
		wantOut, wantTold, wantErr string
		wantCode                   int
	}{
		"all mapped": {
			config: config, env: "HOOK=https://hooks.example.com/secret\n",
			wantOut: "url: https://hooks.example.com/secret", wantTold: "Start the server with --secret-namespace=s (",
		},
		"a node that loses a profile": {
			config: config, env: "HOOK=https://hooks.example.com/secret\n",
			wantTold: "A node whose label names a profile no more goes on until it is Operational",
		},
		"labels of the dashboard": {
			config: "dashboard: {labelFilter: [zone, rack]}\n" + config, env: "HOOK=https://hooks.example.com/secret\n",
			wantTold: "Start the server with --sap-info --sap-info-labels=zone,rack (with the chart: sap.info=true and sap.infoLabels={zone,rack}), if a dashboard",
		},
		"stagger and hypervisor": {
			config: `instances:
  check:
  - {type: stagger, name: apart, config: {duration: 1m, leaseName: l, leaseNamespace: leases}}
  - {type: checkHypervisor, name: gone, config: {evicted: true}}
profiles:
- name: p
  operational: {transitions: [{check: apart && gone, next: in-maintenance}]}
`,
			wantOut: "pool: leases/l", wantTold: "The server needs the right to get, list and watch hypervisors.kvm.cloud.sap (with the chart: " +
				"profiles.readObjects).\nThe server reads the Leases of staggers in leases: name other namespaces",
		},
		"one key wrong": {
			config: strings.Replace(config, "next: in-maintenance", "next: bogus", 1), env: "HOOK=https://hooks.example.com/secret\n",
			wantTold: "maintenance.yaml:10", wantErr: "keys cannot be mapped", wantCode: 2,
		},
		"variable not set": {config: config, env: "OTHER=1\n", wantTold: "the variable HOOK is not set", wantErr: "keys cannot be mapped", wantCode: 2},
		"no namespace": {
			config: config, env: "HOOK=https://hooks.example.com/secret\n", args: []string{"--secret-namespace="},
			wantTold: "0 cannot be mapped", wantErr: "name the namespace of their Secrets with --secret-namespace",
		},
		"no YAML":         {config: "[", env: "", wantErr: "could not read maintenance.yaml"},
		"wrong variables": {config: config, env: "HOOK\n", wantErr: "must be as in NAME=value"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, told bytes.Buffer
			cmd := NewCommand()
			cmd.SetOut(&out)
			cmd.SetErr(&told)
			cmd.SilenceErrors = true
			args := []string{"--config", write(t, "maintenance.yaml", test.config), "--env-file", write(t, "env", test.env), "--secret-namespace=s"}
			cmd.SetArgs(append(args, test.args...))
			err := cmd.ExecuteContext(t.Context())
			if (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("error %v, want %q", err, test.wantErr)
			}
			var exit *subcommand.ExitError
			if errors.As(err, &exit) != (test.wantCode != 0) || exit != nil && exit.Code != test.wantCode {
				t.Errorf("error %v, want the exit code %d", err, test.wantCode)
			}
			if !strings.Contains(out.String(), test.wantOut) {
				t.Errorf("stdout:\n%s\nwant %s", &out, test.wantOut)
			}
			if !strings.Contains(told.String(), test.wantTold) || strings.Contains(told.String(), "example.com/secret") {
				t.Errorf("stderr:\n%s\nwant %s", &told, test.wantTold)
			}
		})
	}
}

// grep -v ' taken over ', as the documentation has it, hides no key that was changed.
func TestFilteredReport(t *testing.T) {
	mail := strings.Replace(config, `{type: slack, name: chat, config: {hook: "${HOOK}", channel: a, message: m}`,
		`{type: mail, name: chat, config: {auth: true, address: "m:25", from: a@b.c, to: [a@b.c], subject: s, message: m, user: u, password: "${HOOK}"}`, 1)
	var out, told bytes.Buffer
	cmd := NewCommand()
	cmd.SetOut(&out)
	cmd.SetErr(&told)
	cmd.SetArgs([]string{"--config", write(t, "maintenance.yaml", mail), "--env-file", write(t, "env", "HOOK=007\n"), "--secret-namespace=s"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left []string
	for line := range strings.Lines(told.String()) {
		if strings.Contains(line, "config.password") && !strings.Contains(line, " taken over ") {
			left = append(left, line)
		}
	}
	if len(left) != 1 || !strings.Contains(left[0], "changed") {
		t.Errorf("the password has %d lines, want one that is changed:\n%s", len(left), &told)
	}
}

func TestApply(t *testing.T) {
	translate := func(config string) *sapimport.Result {
		result, err := sapimport.Translate(sapimport.Options{
			Config: sapimport.File{Name: "f", Text: []byte(config)}, SecretNamespace: "s",
			Variables: func(string) (string, bool) { return "https://hooks.example.com/secret", true },
		})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	kube, maintenance := fake.NewClientset(), maintenancefake.NewSimpleClientset()
	for _, step := range []struct{ config, want string }{
		{config, "secret/slack-chat created\nmaintenanceendpoint/slack-chat created\nmaintenanceprofile/p created\n"},
		{strings.Replace(config, "key: due", "key: late", 1), "secret/slack-chat unchanged\nmaintenanceendpoint/slack-chat unchanged\nmaintenanceprofile/p changed\n"},
	} {
		var out bytes.Buffer
		if err := apply(t.Context(), kube, maintenance, translate(step.config), &out); err != nil {
			t.Fatal(err)
		}
		asServed(t, kube, maintenance)
		if out.String() != step.want {
			t.Errorf("got:\n%swant:\n%s", &out, step.want)
		}
	}
	profile, err := maintenance.MaintenanceV1beta1().MaintenanceProfiles().Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil || profile.Spec.Checks[0].NodeLabel.Key != "late" {
		t.Errorf("profile %v, %v, want the changed one", profile, err)
	}
}

// asServed does what the servers do and the fake ones do not: they encode the texts of Secrets, and set defaults.
func asServed(t *testing.T, kube *fake.Clientset, maintenance *maintenancefake.Clientset) {
	t.Helper()
	secrets, endpoints := kube.CoreV1().Secrets("s"), maintenance.MaintenanceV1beta1().MaintenanceEndpoints()
	secret, err := secrets.Get(t.Context(), "slack-chat", metav1.GetOptions{})
	endpoint, err2 := endpoints.Get(t.Context(), "slack-chat", metav1.GetOptions{})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if secret.StringData != nil {
		withData(secret, secret.DeepCopy())
		secret.StringData = nil
	}
	v1beta1.SetObjectDefaults_MaintenanceEndpoint(endpoint)
	_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	_, err2 = endpoints.Update(t.Context(), endpoint, metav1.UpdateOptions{})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
}
