// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	cliflag "k8s.io/component-base/cli/flag"
)

// parse reads a command line as the command does.
func parse(t *testing.T, args ...string) (*Options, []error) {
	t.Helper()
	o := New()
	var flagSets cliflag.NamedFlagSets
	o.AddFlags(&flagSets)
	all := pflag.NewFlagSet(t.Name(), pflag.ContinueOnError)
	for _, flagSet := range flagSets.FlagSets {
		all.AddFlagSet(flagSet)
	}
	if err := all.Parse(args); err != nil {
		return o, []error{err}
	}
	if err := o.Complete(); err != nil {
		return o, []error{err}
	}
	return o, o.Validate()
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		env  map[string]string
		want string // of the only error; empty: none
	}{
		"defaults":             {},
		"external etcd":        {args: []string{"--etcd-servers=https://127.0.0.1:2379"}},
		"store in the cluster": {args: []string{"--store=cluster"}},
		"etcd, twice told":     {args: []string{"--store=etcd", "--etcd-servers=https://127.0.0.1:2379"}},
		"etcd without address": {args: []string{"--store=etcd"}, want: "--store=etcd requires --etcd-servers"},
		"cluster and an etcd": {
			args: []string{"--store=cluster", "--etcd-servers=https://127.0.0.1:2379"}, want: "--store=cluster must not be given with --etcd-servers",
		},
		"embedded and an etcd": {
			args: []string{"--store=embedded", "--etcd-servers=https://127.0.0.1:2379"}, want: "use --store=etcd",
		},
		"no such store":        {args: []string{"--store=disk"}, want: `--store must be embedded, etcd or cluster, not "disk"`},
		"in a pod":             {env: map[string]string{"POD_NAME": "a", "POD_NAMESPACE": "b"}},
		"half a pod":           {env: map[string]string{"POD_NAME": "a"}, want: "both POD_NAMESPACE and POD_NAME"},
		"empty data dir":       {args: []string{"--data-dir="}, want: "--data-dir must not be empty"},
		"tiny quota":           {args: []string{"--embedded-etcd-quota-bytes=1"}, want: "--embedded-etcd-quota-bytes must be at least"},
		"service without name": {args: []string{"--service=maintenance-system"}, want: "--service must be namespace/name"},
		"no such APIService":   {args: []string{"--apiservice=a/b"}, want: "--apiservice must be the name"},
		"no evictions":         {args: []string{"--evictions-in-flight=0"}, want: "--evictions-in-flight must be from 1 to 1000"},
		"no requests":          {args: []string{"--kube-api-qps=0"}, want: "--kube-api-qps must be greater than 0"},
		"no burst":             {args: []string{"--kube-api-burst=0"}, want: "--kube-api-burst must be at least 1"},
		"taint without effect": {args: []string{"--drain-taints=key"}, want: "must have the effect"},
		"taint that kills":     {args: []string{"--drain-taints=key:NoExecute"}, want: "must have the effect"},
		"taint with a bad key": {args: []string{"--drain-taints=a/b/c:NoSchedule"}, want: "no valid key"},
		"taint with bad value": {args: []string{"--drain-taints=a=b=c:NoSchedule"}, want: "no valid value"},
		"unknown admission":    {args: []string{"--enable-admission-plugins=Nonsense"}, want: "Nonsense"},
		"leases of a form":     {args: []string{"--node-leases=KubeVirt"}},
		"leases of no form":    {args: []string{"--node-leases=medik8s"}, want: "--node-leases must be one of [Off Medik8s KubeVirt], not \"medik8s\""},
		"leases in no namespace": {
			args: []string{"--node-leases=Medik8s", "--node-lease-namespace=a/b"}, want: "--node-lease-namespace must be the name of a namespace",
		},
		"Prometheus":              {args: []string{"--prometheus-url=https://prometheus.monitoring.svc:9090/prefix", "--prometheus-ca-file=ca", "--prometheus-token-file=t"}},
		"Prometheus on its own":   {args: []string{"--prometheus-url=http://127.0.0.1:9090"}},
		"no URL of Prometheus":    {args: []string{"--prometheus-url=prometheus:9090"}, want: "--prometheus-url must be as in https://"},
		"Prometheus, but no host": {args: []string{"--prometheus-url=https://:9090"}, want: "--prometheus-url must be as in https://"},
		"Prometheus with a password": {
			args: []string{"--prometheus-url=https://me:secret@prometheus"}, want: "--prometheus-url must not have a password",
		},
		"Prometheus with a query":    {args: []string{"--prometheus-url=https://prometheus/?a=b"}, want: "--prometheus-url must not have a ?"},
		"a token on an open line":    {args: []string{"--prometheus-url=http://prometheus", "--prometheus-token-file=t"}, want: "with https"},
		"a token for nobody":         {args: []string{"--prometheus-token-file=t"}, want: "require --prometheus-url"},
		"requests and shutdown":      {args: []string{"--request-timeout=30s", "--shutdown-delay-duration=10s", "--shutdown-request-grace-period=30s", "--max-requests-inflight=0"}},
		"no limit of requests":       {args: []string{"--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--enable-priority-and-fairness=false"}},
		"limits of nothing":          {args: []string{"--max-requests-inflight=0", "--max-mutating-requests-inflight=0"}, want: "nothing would be answered"},
		"no time for requests":       {args: []string{"--request-timeout=0", "--shutdown-request-grace-period=0"}, want: "--request-timeout must be greater than 0"},
		"a delay of the past":        {args: []string{"--shutdown-delay-duration=-1s"}, want: "--shutdown-delay-duration can not be negative value"},
		"requests without end":       {args: []string{"--shutdown-request-grace-period=2m"}, want: "--shutdown-request-grace-period must be from 0 to --request-timeout (1m0s), not 2m0s"},
		"goaways, which lose writes": {args: []string{"--goaway-chance=0.01"}, want: "unknown flag"},
		"flag of kube-apiserver":     {args: []string{"--advertise-address=127.0.0.1"}, want: "unknown flag"},
		"unknown flag":               {args: []string{"--nonsense"}, want: "unknown flag"},
		"an unknown old group":       {args: []string{"--serve-legacy-groups=nodemaintenance.medik8s.io,medik8s.io"}, want: `--serve-legacy-groups must name some of nodemaintenance.medik8s.io, nodemaintenance.kubevirt.io, kubevirt.io, machinemaintenance.managed.openshift.io, not "medik8s.io"`},
		"all old groups":             {args: []string{"--serve-legacy-groups=kubevirt.io,nodemaintenance.medik8s.io,nodemaintenance.kubevirt.io"}},
		"taints that are right":      {args: []string{"--drain-taints=kubevirt.io/drain=draining:NoSchedule,soft:PreferNoSchedule"}},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range tc.env {
				t.Setenv(key, value)
			}
			_, errs := parse(t, tc.args...)
			switch {
			case tc.want == "" && len(errs) > 0:
				t.Errorf("errors: %v, want none", errs)
			case tc.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), tc.want)):
				t.Errorf("errors: %v, want one with %q", errs, tc.want)
			}
		})
	}
}

func TestOneKubeconfigServesAll(t *testing.T) {
	o, errs := parse(t, "--kubeconfig=a", "--authorization-kubeconfig=b")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := o.Recommended.Authentication.RemoteKubeConfigFile; got != "a" {
		t.Errorf("authentication uses kubeconfig %q, want that of --kubeconfig", got)
	}
	if got := o.Recommended.Authorization.RemoteKubeConfigFile; got != "b" {
		t.Errorf("authorization uses kubeconfig %q, want its own", got)
	}
}

func TestNodeLeases(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want NodeLeaseOptions
	}{
		"default":            {want: NodeLeaseOptions{Form: "Off", Namespace: "medik8s-leases"}},
		"empty":              {args: []string{"--node-leases="}, want: NodeLeaseOptions{Form: "Off", Namespace: "medik8s-leases"}},
		"medik8s":            {args: []string{"--node-leases=Medik8s"}, want: NodeLeaseOptions{Form: "Medik8s", Namespace: "medik8s-leases"}},
		"KubeVirt":           {args: []string{"--node-leases=KubeVirt"}, want: NodeLeaseOptions{Form: "KubeVirt", Namespace: "node-maintenance"}},
		"old groups":         {args: []string{"--serve-legacy-groups=kubevirt.io"}, want: NodeLeaseOptions{Form: "Medik8s", Namespace: "medik8s-leases"}},
		"old groups, off":    {args: []string{"--serve-legacy-groups=kubevirt.io", "--node-leases=Off"}, want: NodeLeaseOptions{Form: "Off", Namespace: "medik8s-leases"}},
		"namespace of yours": {args: []string{"--node-leases=Medik8s", "--node-lease-namespace=a"}, want: NodeLeaseOptions{Form: "Medik8s", Namespace: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, errs := parse(t, tc.args...)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if *o.NodeLeases != tc.want {
				t.Errorf("the options are %+v, want %+v", *o.NodeLeases, tc.want)
			}
		})
	}
}

func TestServerName(t *testing.T) {
	o, errs := parse(t, "--service=ns/svc")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := o.Registration.ServerName(); got != "svc.ns.svc" {
		t.Errorf("the server's name is %q, want the one that the aggregator uses", got)
	}
}

func TestParsedTaints(t *testing.T) {
	o, errs := parse(t, "--drain-taints=kubevirt.io/drain=draining:NoSchedule")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	taints := o.Drainer.ParsedTaints()
	if len(taints) != 1 || taints[0].ToString() != "kubevirt.io/drain=draining:NoSchedule" {
		t.Errorf("taints are %v", taints)
	}
}

func TestRequestOptionsReachTheServer(t *testing.T) {
	o, errs := parse(t, "--max-requests-inflight=1", "--max-mutating-requests-inflight=2", "--request-timeout=3s", "--min-request-timeout=4",
		"--shutdown-delay-duration=5s", "--shutdown-send-retry-after=false", "--shutdown-watch-termination-grace-period=6s")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got := genericapiserver.Config{}
	o.Requests.ApplyTo(&got)
	want := genericapiserver.Config{
		MaxRequestsInFlight: 1, MaxMutatingRequestsInFlight: 2, RequestTimeout: 3 * time.Second, MinRequestTimeout: 4,
		ShutdownDelayDuration: 5 * time.Second, ShutdownWatchTerminationGracePeriod: 6 * time.Second,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the configuration is %+v, want %+v", got, want)
	}
}

// TestHelp looks at flags of the library that this server describes in its own way.
func TestHelp(t *testing.T) {
	var flagSets cliflag.NamedFlagSets
	New().AddFlags(&flagSets)
	for flag, test := range map[string]struct{ section, want, unwanted string }{
		"tls-cert-file":              {section: "serving", want: "the CA in its Secret", unwanted: "cert-dir"},
		"encryption-provider-config": {section: "store", want: "in any store", unwanted: "etcd"},
		"etcd-servers":               {section: "store"},
	} {
		found := flagSets.FlagSet(test.section).Lookup(flag)
		if found == nil || !strings.Contains(found.Usage, test.want) || test.unwanted != "" && strings.Contains(found.Usage, test.unwanted) {
			t.Errorf("--%s in section %s: %v, want %q without %q", flag, test.section, found, test.want, test.unwanted)
		}
	}
}
