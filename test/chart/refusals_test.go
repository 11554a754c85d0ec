// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"strings"
	"testing"
)

// What cannot work is refused before anything is installed, with a sentence that says what to change.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		values, flags []string
		// bare has no image.
		bare bool
		want string
	}{
		"no image":         {bare: true, want: "image.repository is not set. No image is published: build and push one with make image PUSH="},
		"no tag":           {bare: true, values: []string{"image.repository=r"}, want: "set image.tag or image.digest"},
		"embedded, twice":  {values: []string{"store.type=embedded"}, want: "only one server can use the embedded store: set replicaCount=1, or store.type=cluster"},
		"etcd, where":      {values: []string{"store.type=etcd"}, want: "set store.etcd.servers to the URLs of its members"},
		"etcd, not used":   {values: []string{"store.etcd.servers={http://a}"}, want: "store.type is cluster: set store.type=etcd, or leave store.etcd.servers out"},
		"etcd, no URL":     {values: []string{"store.type=etcd,store.etcd.servers={a:2379}"}, want: "at '/store/etcd/servers/0'"},
		"older cluster":    {flags: []string{"--kube-version", "1.31"}, want: "store.type=cluster needs Kubernetes 1.32, and this is v1.31: set store.type=etcd"},
		"too old":          {flags: []string{"--kube-version", "1.29"}, want: "chart requires kubeVersion: >=1.30.0-0"},
		"which secret":     {values: []string{"tls.type=existingSecret"}, want: "set tls.existingSecret to the Secret's name, and tls.caBundle"},
		"secret, not used": {values: []string{"tls.existingSecret=a"}, want: "tls.type is server: set tls.type=existingSecret, or leave both out"},
		"CA is no PEM":     {values: []string{"tls.caBundle=a"}, want: "at '/tls/caBundle'"},
		"no cert-manager":  {values: []string{"tls.type=cert-manager"}, want: "install cert-manager first, or set tls.type=server"},
		"no Prometheus":    {values: []string{"metrics.serviceMonitor.enabled=true"}, want: "install the Prometheus operator first"},
		"token, open line": {values: []string{"prometheus.url=http://p,prometheus.tokenSecret=a"}, want: "prometheus.url does not begin with https://: set it, or leave both out"},
		"password in URL":  {values: []string{"prometheus.url=https://a:b@p"}, want: "at '/prometheus/url'"},
		"which vCenter":    {values: []string{"integrations.vsphere.enabled=true"}, want: "set integrations.vsphere.url, and integrations.vsphere.credentialsSecret"},
		"which OpenStack":  {values: []string{"integrations.kubernikus.enabled=true"}, want: "set integrations.kubernikus.cloudConfigSecret"},
		"labels of what":   {values: []string{"sap.infoLabels={zone}"}, want: "sap.infoLabels is set, but sap.info is not true: set sap.info=true, or leave sap.infoLabels out"},
		"which cloud":      {values: []string{"cloudEvents.credentialsSecret=aws"}, want: "no cloud is asked for events: set cloudEvents.source=aws, or leave both out"},
		"Jobs, where":      {values: []string{"profiles.allowJobs=true"}, want: "set profiles.jobNamespaces to the namespaces of the Jobs"},
		"machines, where":  {values: []string{"cloudEvents.machineAPI=true"}, want: "set cloudEvents.machineNamespaces to the namespaces of the machines"},
		"its own Secrets":  {values: []string{"profiles.secretNamespace=maintenance-system"}, want: "has the Secrets of the cluster or of the server itself"},
		"others' Secrets":  {values: []string{"profiles.secretNamespace=kube-system"}, want: "profiles.secretNamespace is kube-system, which has the Secrets of the cluster"},
		"Jobs beside it":   {values: []string{"profiles.jobNamespaces={jobs,maintenance-system}"}, want: "profiles.jobNamespaces has maintenance-system, in which the cluster or the server itself runs"},
		"Jobs beside all":  {values: []string{"profiles.jobNamespaces={kube-system}"}, want: "profiles.jobNamespaces has kube-system, in which the cluster"},
		"its own guard": {
			values: []string{"profiles.patchObjects[0].apiGroups={admissionregistration.k8s.io},profiles.patchObjects[0].resources={a}"}, want: "the server could change its own permissions",
		},
		"roles of OpenShift": {
			values: []string{"profiles.patchObjects[0].apiGroups={authorization.openshift.io},profiles.patchObjects[0].resources={roles}"}, want: "the server could change its own permissions",
		},
		"APIs of others": {
			values: []string{"profiles.patchObjects[0].apiGroups={apps,apiregistration.k8s.io},profiles.patchObjects[0].resources={a}"}, want: "profiles.patchObjects has the API group apiregistration.k8s.io",
		},
		"others' nodes": {
			values: []string{"profiles.patchObjects[0].apiGroups[0]=,profiles.patchObjects[0].resources={nodes/status}"}, want: "profiles.patchObjects has the resource nodes/status: profiles patch no namespaces",
		},
		"commands in pods": {
			values: []string{"profiles.readObjects[0].apiGroups[0]=,profiles.readObjects[0].resources={pods/exec}"}, want: "lets the server run commands in pods",
		},
		"every resource": {
			values: []string{"profiles.patchObjects[0].apiGroups[0]=,profiles.patchObjects[0].resources={*}"}, want: "lets the server run commands in pods",
		},
		"leases of the cluster": {values: []string{"nodeLeases.namespace=kube-node-lease"}, want: "which has the leases of the cluster or of the server itself"},
		"taints besides":        {values: []string{"extraArgs={--drain-taints=a:NoSchedule}"}, want: "set drainTaints instead"},
		"taint that kills":      {values: []string{"drainTaints={a:NoExecute}"}, want: "at '/drainTaints/0'"},
		"unknown cloud":         {values: []string{"cloudEvents.source=gcp"}, want: "at '/cloudEvents/source': value must be one of '', 'aws'"},
		"cloud, open line":      {values: []string{"cloudEvents.source=aws,cloudEvents.endpoint=http://ec2.example.com"}, want: "at '/cloudEvents/endpoint'"},
		"kubelet's port":        {values: []string{"hostNetwork=true"}, want: "on a node the kubelet has port 10250: set securePort to a port that is free on every node"},
		"no effect":             {values: []string{"hostNetwork=true,securePort=8443,networkPolicy.enabled=true"}, want: "set networkPolicy.enabled=false"},
		"host of OpenShift": {
			values: []string{"hostNetwork=true,securePort=8443,openshift.enabled=true"}, want: "bind some to the ServiceAccount yourself, and set openshift.enabled=false",
		},
		"pods besides": {
			values: []string{"service.externalAddress=drains.example"}, want: "nothing would reach the pods: set replicaCount=0, or leave service.externalAddress out",
		},
		"outlives its CA": {
			values: []string{"tls.type=cert-manager,tls.certManager.duration=29201h"}, flags: []string{"--api-versions", "cert-manager.io/v1"},
			want: "a certificate of the release's own CA must not outlive it: set at most 29200h, or tls.certManager.issuerRef",
		},
		"label of the selector": {
			values: []string{`podLabels.app\.kubernetes\.io/component=a`}, want: "podLabels has app.kubernetes.io/component, which the chart sets itself: leave it out",
		},
		"label of the chart": {
			values: []string{`commonLabels.helm\.sh/chart=a`}, want: "commonLabels has helm.sh/chart, which the chart sets itself: leave it out",
		},
		"name too long":        {values: []string{"fullnameOverride=" + strings.Repeat("n", 54)}, want: "at '/fullnameOverride': maxLength: got 54, want 53"},
		"requests without end": {values: []string{"shutdownGraceSeconds=61"}, want: "at '/shutdownGraceSeconds': maximum"},
		"which account":        {values: []string{"serviceAccount.create=false"}, want: "set serviceAccount.name to the ServiceAccount to use"},
		"memory limit":         {values: []string{"resources.limits.memory=1g"}, want: `resources.limits.memory is "1g": write it as a number of bytes with a unit`},
		"unknown value":        {values: []string{"replicas=2"}, want: "additional properties 'replicas' not allowed"},
		"unknown inside":       {values: []string{"store.etcd.server=a"}, want: "at '/store/etcd': additional properties 'server' not allowed"},
		"unknown store":        {values: []string{"store.type=etcd3"}, want: "value must be one of 'cluster', 'etcd', 'embedded'"},
		"unknown group":        {values: []string{"legacyGroups={a}"}, want: "at '/legacyGroups/0': value must be one of 'nodemaintenance.medik8s.io'"},
		"wrong type":           {values: []string{"replicaCount=two"}, want: "at '/replicaCount': got string, want integer"},
		"wrong digest":         {values: []string{"image.digest=abc"}, want: "at '/image/digest'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := append([]string{image}, test.values...)
			if test.bare {
				values = test.values
			}
			rendered, err := render(t, values, test.flags...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want %q\n%.200s", err, test.want, rendered)
			}
		})
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	if out, err := cluster.Helm(t.Context(), "lint", "--strict", folder, "--set", image); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
