// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package mustgather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
)

// What cannot be read is missing, for a reason, and the rest is there.
func TestOddAnswers(t *testing.T) {
	serverPod := `{"metadata":{"name":"server-1","namespace":"maintenance-system"},"status":{"containerStatuses":[{"name":"server","restartCount":1}]}}`
	tests := map[string]struct {
		cluster cluster
		options options
		// wantMissing are in the index, as what could not be read; wantNotes anywhere in it.
		wantMissing, wantNotes []string
		wantFiles              []string
	}{
		"all is well": {
			wantNotes: []string{"Everything could be read", "nodes/                   every node (2 files)"},
			wantFiles: []string{
				"versions.txt", "nodemaintenances/maintenance.medik8s.io/disk.yaml", "nodes/worker-1.yaml", "nodes/worker-2.yaml",
				"drainplans/worker-1.yaml", "leases/kube-node-lease/worker-1.yaml", "server/metrics.txt",
			},
		},
		"not allowed": {
			cluster: cluster{
				podsPath: refuses(403, "Forbidden"), nodesPath: refuses(403, "Forbidden"),
				"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/worker-1": refuses(403, "Forbidden"),
			},
			wantMissing: []string{
				"nodes/: nodes: not allowed: the test says Forbidden",
				"pods/: pods with spec.nodeName=worker-1: not allowed: the test says Forbidden", "leases/: worker-1: not allowed",
			},
			wantFiles: []string{"drainplans/worker-1.yaml"},
		},
		"not there": {
			cluster: cluster{
				"/apis/policy/v1/poddisruptionbudgets":                            refuses(404, "NotFound"),
				"/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies": refuses(404, "NotFound"),
			},
			wantNotes: []string{"Everything could be read", "poddisruptionbudgets.policy: not there"},
		},
		"errors": {
			cluster: cluster{
				"/apis/policy/v1/poddisruptionbudgets": refuses(500, "InternalError"), "/version": refuses(500, "InternalError"),
				"/apis": refuses(503, "ServiceUnavailable"),
			},
			wantMissing: []string{"versions.txt: /version:", "versions.txt: /apis:", "poddisruptionbudgets/: poddisruptionbudgets.policy: "},
			wantFiles:   []string{"nodes/worker-1.yaml", "nodemaintenances/maintenance.medik8s.io/disk.yaml"},
		},
		"malformed": {
			cluster: cluster{
				"/apis": says("<html>"), "/apis/policy/v1/poddisruptionbudgets": says("<html>"),
				holdsPath: objects("NodeMaintenance", `{"metadata":{"name":"disk"},"spec":{"nodeName":"worker-1"}}`, `{"metadata":{"name":"a"},"spec":7}`, `{"metadata":{"name":"b"},"spec":{"nodeName":["x"]}}`),
				nodesPath: objects("Node", `{"metadata":{"name":"../../../etc/passwd"},"spec":{"taints":"x"}}`, `{"metadata":{"name":"same"}}`, `{"metadata":{"name":"same"}}`, `{}`,
					`{"metadata":{"name":"worker-1"},"spec":{"taints":"x"}}`),
			},
			wantMissing: []string{"versions.txt: /apis: the answer to /apis is not what Kubernetes answers", "poddisruptionbudgets/: "},
			wantNotes:   []string{"b has an unexpected form, and is not in timeline.txt", "worker-1 has an unexpected form"},
			wantFiles:   []string{"drainplans/worker-1.yaml", "etc/passwd.yaml", "nodes/same.yaml", "nodes/same.yaml-2", "nodemaintenances/maintenance.medik8s.io/b.yaml"},
		},
		"a list that changed while it was read": {
			cluster: cluster{nodesPath: func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("continue") == "" {
					page("Node", "more", `{"metadata":{"name":"worker-1"}}`)(w, r)
					return
				}
				refuses(410, "Expired")(w, r)
			}},
			wantMissing: []string{"nodes/: nodes, all but the first: the test says Expired"},
			wantFiles:   []string{"nodes/worker-1.yaml", "drainplans/worker-1.yaml"},
		},
		"logs": {
			cluster: cluster{
				"/api/v1/namespaces/maintenance-system/pods": objects("Pod", serverPod),
				logPath: func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Query().Get("previous") == "true" {
						refuses(400, "BadRequest")(w, r)
						return
					}
					says("started with sinceSeconds="+r.URL.Query().Get("sinceSeconds")+"\n")(w, r)
				},
			},
			options:     options{since: 2 * time.Hour},
			wantMissing: []string{"server/logs/: server-1-server-previous.log: the test says BadRequest"},
			wantFiles:   []string{"server/pods/maintenance-system/server-1.yaml", "server/logs/server-1-server.log"},
		},
		"our server is down": {
			cluster: cluster{
				"/apis": says(groups("apps/v1")), holdsPath: refuses(503, "ServiceUnavailable"),
				"/apis/maintenance.medik8s.io/v1beta1/nodes": refuses(503, "ServiceUnavailable"),
			},
			wantMissing: []string{"nodemaintenances/: nodemaintenances.maintenance.medik8s.io: ", "nodestates/: nodes.maintenance.medik8s.io: "},
			wantFiles:   []string{"nodes/worker-1.yaml"},
		},
		"no audit log": {
			options:     options{auditLog: "/nowhere"},
			wantMissing: []string{"(--audit-log): could not open the audit log"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.cluster.gather(t, test.options)
			if got.err != nil {
				t.Fatal(got.err)
			}
			_, missing, _ := strings.Cut(got.files["index.txt"], "What could not be read\n")
			missing, _, _ = strings.Cut(missing, "\n\n")
			for _, want := range test.wantMissing {
				if !strings.Contains(missing, "  "+want) {
					t.Errorf("want %q in what could not be read:\n%s", want, missing)
				}
			}
			if lines := strings.Count(missing, "\n") + 1; len(test.wantMissing) > 0 && lines != len(test.wantMissing) {
				t.Errorf("want %d lines of what could not be read, got:\n%s", len(test.wantMissing), missing)
			}
			got.wantIn(t, "index.txt", test.wantNotes...)
			for _, want := range append(test.wantFiles, "timeline.txt") {
				if got.files[want] == "" {
					t.Errorf("no %s in %v", want, slices.Sorted(maps.Keys(got.files)))
				}
			}
			if lines := strings.Count(got.summary, "\n"); lines < 3 || lines > 6 {
				t.Errorf("want a summary of 3 to 6 lines, got:\n%s", got.summary)
			}
		})
	}
}

// Who leads, who led, and which store it is, are told.
func TestReplicas(t *testing.T) {
	const named = "involvedObject.kind=Lease,involvedObject.name=maintenance-apiserver"
	got := cluster{
		"/apis/coordination.k8s.io/v1/namespaces/maintenance-system/leases?metadata.name=maintenance-apiserver": objects("Lease",
			`{"metadata":{"name":"maintenance-apiserver"},"spec":{"holderIdentity":"server-2_1"}}`),
		"/api/v1/namespaces/maintenance-system/events?" + named: objects("Event",
			`{"metadata":{"name":"e"},"reason":"LeaderElection","message":"server-1_0 led","involvedObject":{"kind":"Lease"}}`),
		"/apis/store.maintenance.medik8s.io/v1/stores": objects("Store", `{"metadata":{"name":"store"},"id":"some-id"}`),
	}.gather(t, options{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	got.wantIn(t, "index.txt", "server-2_1 leads", "its ID is some-id")
	got.wantIn(t, "server/leader/maintenance-apiserver.yaml", "holderIdentity: server-2_1")
	got.wantIn(t, "server/leader/events-1.yaml", "server-1_0 led")
	got.wantIn(t, "server/store/store.yaml", "id: some-id")
}

// A request that is not answered in its time does not hold up the others.
func TestSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		slow := cluster{
			nodesPath: silent,
			holdsPath: objects("NodeMaintenance", `{"metadata":{"name":"a"},"spec":{"nodeName":"worker-1"}}`, `{"metadata":{"name":"b"},"spec":{"nodeName":"worker-2"}}`),
			"/apis/maintenance.medik8s.io/v1beta1/nodes/worker-1/drainplan": silent,
			"/apis/maintenance.medik8s.io/v1beta1/nodes/worker-2/drainplan": func(http.ResponseWriter, *http.Request) { asked++ },
		}
		var out bytes.Buffer
		g, err := newGatherer(options{timeout: time.Minute, namespace: "x"}, slow.inProcess(), newArchive(&out, "f", time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		g.patience = 2 * time.Second
		if err := g.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		missing := strings.Join(g.index.missing(), "\n")
		for _, want := range []string{"nodes/: nodes: no answer within 2s", "drainplans/: worker-1: no answer within 2s"} {
			if !strings.Contains(missing, want) {
				t.Errorf("want %q in what is missing:\n%s", want, missing)
			}
		}
		if asked > 0 {
			t.Error("after a request that nobody answered, the next of its kind was made")
		}
	})
}

// What was not read when the time of --timeout was over is missing, and the rest is there.
func TestOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 3 * time.Second
		began := time.Now()
		got := gatherFrom(t, cluster{nodesPath: silent}.inProcess(), options{timeout: timeout})
		if got.err != nil {
			t.Fatal(got.err)
		}
		if took := time.Since(began); took != timeout {
			t.Errorf("it took %s, want %s", took, timeout)
		}
		const late = ": the time of --timeout was over"
		got.wantIn(t, "index.txt", "What could not be read\n", "  nodes/: nodes"+late, "  server/metrics.txt"+late)
		got.wantIn(t, "nodemaintenances/maintenance.medik8s.io/disk.yaml", "name: disk")
		if got.files["timeline.txt"] == "" || !strings.Contains(got.summary, "\n") {
			t.Errorf("got no timeline, or no summary: %q", got.summary)
		}
	})
}

// A long list comes in pages, and all of it is in the archive.
func TestPages(t *testing.T) {
	const nodes = 2*pageSize + 1
	got := cluster{nodesPath: func(w http.ResponseWriter, r *http.Request) {
		var first, end int
		_, _ = fmt.Sscan(r.URL.Query().Get("continue")+" "+r.URL.Query().Get("limit"), &first, &end)
		if r.URL.Query().Get("continue") == "" {
			first, end = 0, pageSize
		} else {
			end = first + pageSize
		}
		next, items := "", []string{}
		for i := first; i < min(end, nodes); i++ {
			items = append(items, fmt.Sprintf(`{"metadata":{"name":"n-%d"}}`, i))
		}
		if end < nodes {
			next = fmt.Sprint(end)
		}
		page("Node", next, items...)(w, r)
	}}.gather(t, options{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	got.wantIn(t, "index.txt", fmt.Sprintf("every node (%d files)", nodes))
	if got.files["nodes/n-0.yaml"] == "" || got.files[fmt.Sprintf("nodes/n-%d.yaml", nodes-1)] == "" {
		t.Error("the first or the last node is missing")
	}
}

// A log is cut to its end. Its audit lines are told, those before the cut too.
func TestLongLog(t *testing.T) {
	audit := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"create","user":{"username":"alice"},` +
		`"objectRef":{"resource":"nodemaintenances","name":"disk","apiGroup":"maintenance.medik8s.io"},` +
		`"requestReceivedTimestamp":"2026-05-04T12:00:00.000000Z","annotations":{"maintenance.medik8s.io/node":"worker-1"}}` + "\n"
	line := strings.Repeat("x", 99) + "\n"
	got := cluster{
		"/api/v1/namespaces/maintenance-system/pods": objects("Pod",
			`{"metadata":{"name":"server-1","namespace":"maintenance-system"},"status":{"containerStatuses":[{"name":"server"}]}}`),
		logPath: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, audit)
			_, _ = io.WriteString(w, strings.Repeat("y", longestLine+1)+"\n")
			for range 2*maxLog/len(line) + 1 {
				_, _ = io.WriteString(w, line)
			}
			_, _ = io.WriteString(w, "the end\n")
		},
	}.gather(t, options{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	log := got.files["server/logs/server-1-server.log"]
	if len(log) > maxLog+100 || !strings.HasPrefix(log, "Cut: only the last 10 MiB") || !strings.HasSuffix(log, "\nthe end\n") {
		t.Errorf("the log has %d bytes, and begins with %q", len(log), log[:min(len(log), 60)])
	}
	got.wantIn(t, "index.txt", "server-1-server.log is cut: only its last 10 MiB are there")
	got.wantIn(t, "timeline.txt", "2026-05-04 12:00:00  audit   disk  alice: create nodemaintenances/disk\n")
}

// Nothing of what may be private is in the archive, wherever it was.
func TestArchiveHasNoSecret(t *testing.T) {
	meta := func(name string) string {
		return fmt.Sprintf(`"metadata":{"name":%q,"namespace":"shop","uid":%q,"creationTimestamp":"2026-05-04T12:00:00Z","annotations":{"x":"MARK",`+
			`"kubectl.kubernetes.io/last-applied-configuration":"MARK"},"managedFields":[{"manager":"m","operation":"Update","fieldsV1":{"f:MARK":{}}}]}`, name, name)
	}
	got := cluster{
		"/apis":   says(groups("maintenance.medik8s.io/v1beta1", "nodemaintenance.medik8s.io/v1beta1", "kubevirt.io/v1")),
		holdsPath: objects("NodeMaintenance", `{`+meta("disk")+`,"spec":{"nodeName":"worker-1"},"data":"MARK"}`),
		"/apis/nodemaintenance.medik8s.io/v1beta1/nodemaintenances": objects("NodeMaintenance", `{`+meta("disk")+`,"spec":{"nodeName":"worker-1"}}`),
		"/apis/maintenance.medik8s.io/v1beta1/maintenanceendpoints": objects("MaintenanceEndpoint", `{`+meta("hooks")+`,
			"spec":{"webhook":{"url":"https://example.com/MARK"},"caBundle":"MARK","perMinute":60}}`),
		"/apis/maintenance.medik8s.io/v1beta1/maintenanceprofiles": objects("MaintenanceProfile", `{`+meta("flatcar")+`}`),
		"/apis/maintenance.medik8s.io/v1beta1/nodeprofiles": objects("NodeProfile", `{`+meta("worker-1.flatcar")+`,"status":{"state":"Operational",
			"notifications":[{"id":"n","target":{"kind":"mail","to":["MARK"]},"texts":{"message":"MARK"},"message":"timed out"}]}}`),
		"/apis/maintenance.medik8s.io/v1beta1/scheduledevents": objects("ScheduledEvent", `{`+meta("reboot")+`,"spec":{"code":"system-reboot","source":"tickets"},
			"status":{"nodeName":"worker-1","phase":"Pending","waitingFor":"the window of policy workers"}}`),
		nodesPath: objects("Node", `{`+meta("worker-1")+`,"spec":{"providerID":"p"},"status":{"images":[{"names":["MARK"]}],"config":{"error":"MARK"}}}`),
		podsPath: objects("Pod", `{`+meta("web")+`,"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}},
			{"name":"w","csi":{"volumeAttributes":{"p":"MARK"}}}],"containers":[{"name":"c","command":["MARK"],"args":["MARK"],
			"env":[{"name":"TOKEN","value":"MARK"}]}]},"status":{"containerStatuses":[{"name":"c","state":{"terminated":{"message":"MARK"}}}]}}`),
		"/api/v1/persistentvolumeclaims":                                objects("PersistentVolumeClaim", `{`+meta("data")+`}`, `{`+meta("other")+`}`),
		"/api/v1/events?involvedObject.kind=Pod":                        objects("Event", `{`+meta("e")+`,"involvedObject":{"kind":"Pod","namespace":"shop","name":"web","uid":"web"},"x":"MARK"}`),
		"/apis/kubevirt.io/v1/virtualmachineinstances":                  objects("VirtualMachineInstance", `{`+meta("vm")+`,"spec":{"volumes":"MARK"},"status":{"nodeName":"worker-1"}}`),
		"/apis/storage.k8s.io/v1/volumeattachments":                     objects("VolumeAttachment", `{`+meta("va")+`,"spec":{"nodeName":"worker-1","source":{"inlineVolumeSpec":"MARK"}}}`),
		"/apis/apiregistration.k8s.io/v1/apiservices":                   objects("APIService", `{`+meta("a")+`,"spec":{"group":"maintenance.medik8s.io","version":"v1beta1","caBundle":"MARK"}}`),
		"/api/v1/namespaces/maintenance-system/pods":                    objects("Pod", `{`+meta("server-1")+`,"spec":{"containers":[{"name":"server","args":["--x"],"env":[{"name":"N","value":"MARK"}]},{"name":"sidecar","args":["MARK"]},{"args":["MARK"]}]}}`),
		"/apis/maintenance.medik8s.io/v1beta1/nodes":                    objects("NodeState", `{`+meta("worker-1")+`}`),
		"/apis/policy/v1/poddisruptionbudgets":                          objects("PodDisruptionBudget", `{`+meta("b")+`}`),
		"/apis/coordination.k8s.io/v1/namespaces/medik8s-leases/leases": objects("Lease", `{`+meta("node-worker-1")+`}`),
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": objects("ValidatingWebhookConfiguration",
			`{`+meta("hook")+`,"webhooks":[{"name":"h","clientConfig":{"url":"MARK"},"rules":[{"apiGroups":[""],"operations":["CREATE"],"resources":["pods/eviction"]}]}]}`,
			`{`+meta("unrelated")+`,"webhooks":[{"name":"h","rules":[{"apiGroups":[""],"operations":["CREATE"],"resources":["pods"]}]}]}`),
	}.gather(t, options{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	for name, content := range got.files {
		if strings.Contains(content, "MARK") {
			t.Errorf("%s has something private:\n%s", name, content)
		}
	}
	for _, want := range []string{
		"nodemaintenances/nodemaintenance.medik8s.io/shop/disk.yaml", "pods/shop/web.yaml", "persistentvolumeclaims/shop/data.yaml",
		"events/pods-1.yaml", "virtualmachines/shop/vm.yaml", "volumeattachments/shop/va.yaml", "apiservices/shop/a.yaml",
		"server/pods/shop/server-1.yaml", "nodestates/shop/worker-1.yaml", "poddisruptionbudgets/shop/b.yaml",
		"maintenanceprofiles/shop/flatcar.yaml", "leases/shop/node-worker-1.yaml", "admission/validatingwebhookconfigurations/shop/hook.yaml",
	} {
		if got.files[want] == "" {
			t.Errorf("no %s in %v", want, slices.Sorted(maps.Keys(got.files)))
		}
	}
	for _, unwanted := range []string{"persistentvolumeclaims/shop/other.yaml", "admission/validatingwebhookconfigurations/shop/unrelated.yaml"} {
		if got.files[unwanted] != "" {
			t.Errorf("%s is there", unwanted)
		}
	}
	got.wantIn(t, "pods/shop/web.yaml", "name: TOKEN")
	got.wantIn(t, "maintenanceendpoints/shop/hooks.yaml", "perMinute: 60")
	got.wantIn(t, "nodeprofiles/shop/worker-1.flatcar.yaml", "state: Operational", "message: timed out")
	got.wantIn(t, "scheduledevents/shop/reboot.yaml", "waitingFor: the window of policy workers")
	got.wantIn(t, "timeline.txt", "reboot: system-reboot was announced by tickets")
	got.wantIn(t, "server/pods/shop/server-1.yaml", "--x")
	if n := strings.Count(got.files["timeline.txt"], "was created by"); n != 1 {
		t.Errorf("a hold under two names is told %d times", n)
	}
}

// Where nothing can be read, there is no archive, but an error.
func TestNothingCanBeRead(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { refuses(401, "Unauthorized")(w, r) })
	tests := map[string]struct {
		handler http.Handler
		closed  bool
		want    string
	}{
		"not authenticated": {handler: handler, want: "could not read anything from the cluster: versions.txt: /version: the server has asked for the client to provide credentials"},
		"nobody there":      {handler: handler, closed: true, want: "connection refused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			if test.closed {
				server.Close()
			}
			dir := t.TempDir()
			o := options{timeout: time.Minute, namespace: "x", output: filepath.Join(dir, "out.tar.gz")}
			err := o.run(t.Context(), &rest.Config{Host: server.URL}, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// Whoever stops the command gets no archive that looks whole.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(cluster{nodesPath: func(w http.ResponseWriter, r *http.Request) {
		cancel()
		silent(w, r)
	}})
	defer server.Close()
	dir := t.TempDir()
	o := options{timeout: time.Minute, namespace: "x", output: filepath.Join(dir, "out.tar.gz")}
	if err := o.run(ctx, &rest.Config{Host: server.URL}, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}
