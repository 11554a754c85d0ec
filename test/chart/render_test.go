// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"strings"
	"testing"
)

// sets are values that admins use together, and what is and is not rendered for them. The text "KIND " stands for an
// object of the kind.
var sets = map[string]struct {
	values, flags []string
	want, wantNot []string
	// unknown has kinds that the test's cluster does not know; privileged has pods that need a namespace without a
	// security standard.
	unknown, privileged bool
}{
	"defaults": {
		want: []string{
			"  replicas: 2\n", "- --store=cluster\n", "image: registry.example/maintenance-apiserver:v1.2.3\n", "maxUnavailable: 0\n", "value: 921MiB\n",
			"--secure-port=10250\n", "kind: PodDisruptionBudget\n", "kind: ResourceQuota\n", "kind: FlowSchema\n", "kind: Job\n", "  resources: [pods]\n  verbs: [get, list, watch]\n", "- --allow-force=false\n", "name: maintenance-apiserver-guard-nodes\n",
			"name: maintenance.medik8s.io:force\n", `aggregate-to-view: "true"`, "--audit-log-path=-", "terminationGracePeriodSeconds: 40\n",
			"topologyKey: topology.kubernetes.io/zone\n", "- --service=maintenance-system/maintenance-apiserver\n", "- --shutdown-delay-duration=10s\n", "- --shutdown-request-grace-period=10s\n",
			"name: storednodemaintenances.store.maintenance.medik8s.io\n", "name: storedmaintenancepolicies.store.maintenance.medik8s.io\n",
			"name: storedmaintenanceprofiles.store.maintenance.medik8s.io\n", "name: storedmaintenanceendpoints.store.maintenance.medik8s.io\n",
			"name: storednodeprofiles.store.maintenance.medik8s.io\n", "name: maintenance.medik8s.io:profile-editor\n",
			"name: storedscheduledevents.store.maintenance.medik8s.io\n", "name: maintenance.medik8s.io:event-editor\n",
			"name: maintenance.medik8s.io:profile-decider\n", "name: maintenance.medik8s.io:profile-force\n", "name: maintenance.medik8s.io:endpoint-editor\n",
			"name: storedmaintenanceledgers.store.maintenance.medik8s.io\n", "name: maintenance.medik8s.io:policy-editor\n", "name: stores.store.maintenance.medik8s.io\n", "helm.sh/resource-policy: keep\n",
			"kind: ValidatingAdmissionPolicyBinding\n", "resourceNames: [maintenance-apiserver-ca]\n", "- --disable-http2-serving\n", "activeDeadlineSeconds: 90\n",
			"    pods: \"10\"\n", "unhealthyPodEvictionPolicy: AlwaysAllow\n", "- --machine-api=none\n",
		},
		wantNot: []string{
			"kind: Namespace\n", "kind: PersistentVolumeClaim\n", "kind: NetworkPolicy\n", "caBundle:", "insecureSkipTLSVerify", "hostNetwork", "Nobody else could",
			"name: v1beta1.nodemaintenance", "virtualmachineinstances", "scc", "--node-leases", "--prometheus-", "--integration", "vsphere", "kubernikus", "--give-back", "etcd-servers",
			"cronjobs", ":profiles\n", ":endpoint-secrets\n", "--secret-namespace", ":sap\n", "sap-info", "--sap-", "--cloud-events", "AWS_", ":machine-api\n", "machine.openshift.io", "cluster.x-k8s.io", "guard-jobs", "guard-machines",
		},
	},
	"what profiles do": {
		values: []string{
			"profiles.allowJobs=true,profiles.jobNamespaces={firmware},profiles.secretNamespace=maintenance-secrets",
			"profiles.readObjects[0].apiGroups={apps},profiles.readObjects[0].resources={deployments}",
			"profiles.patchObjects[0].apiGroups={example.com},profiles.patchObjects[0].resources={hypervisors}",
		},
		want: []string{
			"name: maintenance-apiserver:profiles\n  namespace: firmware\n", "name: maintenance-apiserver-guard-jobs\n", "  resources: [cronjobs]\n  verbs: [get]\n", "  resources: [jobs]\n  verbs: [get, create, patch]\n",
			"  - deployments\n  verbs: [get, list, watch]\n", "  - hypervisors\n  verbs: [get, patch]\n",
			"name: maintenance-apiserver:endpoint-secrets\n  namespace: maintenance-secrets\n", "  resources: [secrets]\n  verbs: [get]\n",
		},
	},
	"the SAP maintenance-controller": {
		values: []string{"sap.mirrors=true,sap.namespace=sap,sap.leaseNamespaces={sap,leases},sap.info=true,sap.infoLabels={zone,rack}"},
		want: []string{
			"- --sap-mirrors\n", "- --sap-namespace=sap\n", "- --sap-info\n", "- --sap-info-labels=zone,rack\n",
			"kind: Role\nmetadata:\n  name: maintenance-apiserver:sap\n  namespace: sap\n", "kind: RoleBinding\nmetadata:\n  name: maintenance-apiserver:sap\n  namespace: sap\n",
			"kind: Role\nmetadata:\n  name: maintenance-apiserver:sap\n  namespace: leases\n", "kind: RoleBinding\nmetadata:\n  name: maintenance-apiserver:sap\n  namespace: leases\n",
			"  resources: [leases]\n  verbs: [list, watch]\n", "  resources: [leases]\n  verbs: [list]\n", "  resources: [replicasets, statefulsets]\n  verbs: [get]\n",
			"name: maintenance.medik8s.io:sap-info\n", "  resources: [nodeprofiles]\n  verbs: [list]\n",
		},
	},
	"one replica": {
		values: []string{"replicaCount=1"}, want: []string{"  replicas: 1\n", "      # Nobody else could give the node back.\n      - key: medik8s.io/drain\n"},
		wantNot: []string{"kind: PodDisruptionBudget\n", "--shutdown-", "--disable-http2-serving"},
	},
	"many replicas that end slowly": {
		values: []string{"replicaCount=12,shutdownDelaySeconds=30,shutdownGraceSeconds=45"},
		want: []string{
			"    pods: \"25\"\n", "- --shutdown-delay-duration=30s\n", "- --shutdown-request-grace-period=45s\n", "terminationGracePeriodSeconds: 95\n",
		},
	},
	"embedded store": {
		values: []string{"store.type=embedded,store.embedded.quotaBytes=4294967296,store.embedded.storageClassName=fast,replicaCount=1"},
		want: []string{
			"type: Recreate\n", "kind: PersistentVolumeClaim\n", "helm.sh/resource-policy: keep\n", "claimName: maintenance-apiserver\n",
			"- --embedded-etcd-quota-bytes=4294967296\n", "storageClassName: fast\n",
		},
		wantNot: []string{"--store=cluster", "store.maintenance.medik8s.io"},
	},
	"etcd": {
		values: []string{"store.type=etcd,store.etcd.servers={https://a:2379,https://b:2379},store.etcd.existingSecret=etcd,store.etcd.prefix=/m"},
		want: []string{
			"- --etcd-servers=https://a:2379,https://b:2379\n", "- --etcd-prefix=/m\n", "- --etcd-cafile=/etc/maintenance-apiserver/etcd/ca.crt\n",
			"secretName: etcd\n", "maxSurge: 1\n",
		},
		wantNot: []string{"--store=cluster", "store.maintenance.medik8s.io", "PersistentVolumeClaim", "--data-dir"},
	},
	"older cluster with etcd": {
		values: []string{"store.type=etcd,store.etcd.servers={http://a:2379}"}, flags: []string{"--kube-version", "1.30"}, wantNot: []string{"--etcd-cafile"},
	},
	"cert-manager": {
		values: []string{"tls.type=cert-manager,tls.certManager.duration=720h"}, flags: []string{"--api-versions", "cert-manager.io/v1"}, unknown: true,
		want: []string{
			"cert-manager.io/inject-ca-from: maintenance-system/maintenance-apiserver-tls\n", "- --tls-cert-file=/etc/maintenance-apiserver/tls/tls.crt\n",
			"- maintenance-apiserver.maintenance-system.svc\n", "selfSigned: {}\n", "duration: 720h\n", "secretName: maintenance-apiserver-tls\n",
			"  duration: 87600h\n", "rotationPolicy: Never}\n",
		},
		wantNot: []string{"caBundle:"},
	},
	"issuer of cert-manager": {
		values: []string{"tls.type=cert-manager,tls.certManager.issuerRef.name=internal,tls.certManager.issuerRef.kind=ClusterIssuer"},
		flags:  []string{"--api-versions", "cert-manager.io/v1"}, unknown: true, want: []string{"kind: ClusterIssuer\n"}, wantNot: []string{"selfSigned", "87600h"},
	},
	"long certificates of an issuer": {
		values: []string{"tls.type=cert-manager,tls.certManager.issuerRef.name=internal,tls.certManager.duration=40000h"},
		flags:  []string{"--api-versions", "cert-manager.io/v1"}, unknown: true, want: []string{"duration: 40000h\n"},
	},
	"certificate of one's own": {
		values: []string{"tls.type=existingSecret,tls.existingSecret=mine,tls.caBundle=-----BEGIN CERTIFICATE-----"},
		want:   []string{"secretName: mine\n", "caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\n", "--tls-private-key-file="},
	},
	"digest": {
		values: []string{"image.tag=,image.digest=sha256:" + strings.Repeat("a", 64)},
		want:   []string{"image: registry.example/maintenance-apiserver@sha256:" + strings.Repeat("a", 64) + "\n"},
	},
	"host network": {
		values: []string{"hostNetwork=true,securePort=8443,namespace.create=true"}, privileged: true,
		want: []string{"hostNetwork: true\n", "dnsPolicy: ClusterFirstWithHostNet\n", "maxUnavailable: 1\n", "maxSurge: 0\n", "enforce: privileged\n"},
	},
	"old groups": {
		values: []string{"legacyGroups={nodemaintenance.medik8s.io,nodemaintenance.kubevirt.io,kubevirt.io}"},
		want: []string{
			"- --serve-legacy-groups=nodemaintenance.medik8s.io,nodemaintenance.kubevirt.io,kubevirt.io\n", "- nodemaintenances.kubevirt.io\n",
			"  name: v1alpha1.kubevirt.io\n", "  name: v1beta1.nodemaintenance.medik8s.io\n", "- --node-leases=Medik8s\n", "name: medik8s-leases\n",
			"verbs: [get, list, watch, create, update, delete]\n", "name: maintenance.medik8s.io:legacy-editor\n", "name: maintenance.medik8s.io:legacy-kubevirt-viewer\n",
		},
	},
	"old group without leases": {
		values: []string{"legacyGroups={nodemaintenance.medik8s.io}", "nodeLeases.form=Off"}, want: []string{"- --node-leases=Off\n"},
		wantNot: []string{"medik8s-leases", "legacy-kubevirt", "nodemaintenances.kubevirt.io", ".machinemaintenance.managed", "namespace-controller"},
	},
	"MachineMaintenances": {
		values: []string{"legacyGroups={machinemaintenance.managed.openshift.io}"},
		want: []string{
			"- --serve-legacy-groups=machinemaintenance.managed.openshift.io\n", "- --node-leases=Off\n",
			"- machinemaintenances.machinemaintenance.managed.openshift.io\n", "  - v1alpha1.machinemaintenance.managed.openshift.io\n",
			"  name: v1alpha1.machinemaintenance.managed.openshift.io\n", "name: maintenance.medik8s.io:legacy-machinemaintenance-editor\n",
			"  name: namespace-controller\n",
		},
		wantNot: []string{"medik8s-leases", "legacy-kubevirt", "nodemaintenances.machinemaintenance"},
	},
	"leases of KubeVirt": {
		values: []string{"nodeLeases.form=KubeVirt,nodeLeases.createNamespace=false"}, want: []string{"- --node-leases=KubeVirt\n", "namespace: node-maintenance\n"},
		wantNot: []string{"kind: Namespace\n"},
	},
	"Prometheus": {
		values: []string{"prometheus.url=https://prometheus.monitoring.svc:9090,prometheus.caSecret=prom-ca,prometheus.tokenSecret=prom-token"},
		want: []string{
			"- --prometheus-url=https://prometheus.monitoring.svc:9090\n", "- --prometheus-ca-file=/etc/maintenance-apiserver/prometheus-ca/ca.crt\n",
			"- --prometheus-token-file=/etc/maintenance-apiserver/prometheus-token/token\n", "secretName: prom-ca\n", "secretName: prom-token\n",
		},
	},
	"Prometheus without a secret": {
		values: []string{"prometheus.url=http://prometheus:9090"}, want: []string{"- --prometheus-url=http://prometheus:9090\n"},
		wantNot: []string{"prometheus-ca", "prometheus-token"},
	},
	"vSphere": {
		values: []string{
			"integrations.vsphere.enabled=true,integrations.vsphere.url=https://vcenter-$AZ.example.com",
			"integrations.vsphere.credentialsSecret=vcenters,integrations.vsphere.caSecret=vcenter-ca,integrations.vsphere.alarms={Host memory usage}",
		},
		want: []string{
			"- --integration=vsphere\n", "- --vsphere-url=https://vcenter-$AZ.example.com\n", "- --vsphere-credentials-dir=/etc/maintenance-apiserver/vsphere\n",
			"- --vsphere-ca-file=/etc/maintenance-apiserver/vsphere-ca/ca.crt\n", "- \"--vsphere-alarm=Host memory usage\"\n", "- --vsphere-interval=1m\n",
			"- --vsphere-shutdown-timeout=2m\n", "secretName: vcenters\n", "secretName: vcenter-ca\n",
		},
		wantNot: []string{"kubernikus"},
	},
	"Kubernikus": {
		values: []string{"integrations.kubernikus.enabled=true,integrations.kubernikus.cloudConfigSecret=cloud"},
		want: []string{
			"- --integration=kubernikus\n", "- --kubernikus-cloud-config=/etc/maintenance-apiserver/kubernikus/cloudprovider.conf\n", "secretName: cloud\n",
		},
		wantNot: []string{"vsphere", "kubernikus-ca"},
	},
	"events of AWS": {
		values: []string{
			"cloudEvents.source=aws,cloudEvents.interval=5m,cloudEvents.endpoint=https://vpce-1.ec2.eu-central-1.vpce.amazonaws.com",
			"cloudEvents.credentialsSecret=aws",
		},
		want: []string{
			"- --cloud-events=aws\n", "- --cloud-events-interval=5m\n", "- --cloud-events-endpoint=https://vpce-1.ec2.eu-central-1.vpce.amazonaws.com\n",
			"valueFrom: {secretKeyRef: {name: aws, key: aws_access_key_id}}\n", "valueFrom: {secretKeyRef: {name: aws, key: aws_secret_access_key}}\n",
		},
	},
	"events of AWS, with a role": {
		values: []string{`cloudEvents.source=aws,serviceAccount.annotations.eks\.amazonaws\.com/role-arn=arn:aws:iam::123456789012:role/events`},
		want: []string{
			"- --cloud-events=aws\n", "- --cloud-events-interval=1m\n", "    eks.amazonaws.com/role-arn: arn:aws:iam::123456789012:role/events\n",
		},
		wantNot: []string{"--cloud-events-endpoint", "AWS_"},
	},
	"machines are replaced": {
		values: []string{"cloudEvents.machineAPI=true,cloudEvents.machineNamespaces={shop}"},
		want: []string{
			"- --machine-api=auto\n", "name: maintenance-apiserver:machine-api\n",
			"- apiGroups: [machine.openshift.io, cluster.x-k8s.io]\n  resources: [machines]\n  verbs: [get, list]\n", "  name: maintenance-apiserver:machine-api\n  namespace: shop\n",
			"  resources: [machines]\n  verbs: [update, delete]\n", "  resources: [machinesets]\n  verbs: [update]\n", "  resources: [machinedeployments]\n  verbs: [update]\n",
		},
		wantNot: []string{"--machine-api=none", "--cloud-events"},
	},
	"KubeVirt is there": {flags: []string{"--api-versions", "kubevirt.io/v1"}, want: []string{"virtualmachineinstancemigrations]\n  verbs: [list, watch]\n"}},
	"KubeVirt is there, not for us": {
		values: []string{"kubevirt.enabled=false"}, flags: []string{"--api-versions", "kubevirt.io/v1"}, wantNot: []string{"virtualmachineinstancemigrations"},
	},
	"OpenShift":     {flags: []string{"--api-versions", "security.openshift.io/v1"}, want: []string{"name: system:openshift:scc:nonroot-v2\n"}},
	"force":         {values: []string{"rbac.allowForce=true"}, want: []string{"  resources: [pods]\n  verbs: [get, list, watch, delete]\n", "- --allow-force=true\n"}},
	"no user roles": {values: []string{"rbac.userRoles=false"}, wantNot: []string{"name: maintenance.medik8s.io:"}},
	"no view":       {values: []string{"rbac.aggregateToView=false"}, want: []string{"maintenance.medik8s.io:viewer"}, wantNot: []string{"aggregate-to-view"}},
	"no audit log":  {values: []string{"audit.enabled=false"}, wantNot: []string{"audit", "kind: ConfigMap\n"}},
	"network policy": {
		values: []string{"networkPolicy.enabled=true,networkPolicy.from[0].ipBlock.cidr=10.0.0.0/8,networkPolicy.egress[0].ports[0].port=443"},
		want:   []string{"kind: NetworkPolicy\n", "policyTypes: [Ingress, Egress]\n", "cidr: 10.0.0.0/8\n"},
	},
	"metrics": {
		values: []string{"metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.labels.release=prometheus"}, unknown: true,
		flags: []string{"--api-versions", "monitoring.coreos.com/v1"}, want: []string{"kind: ServiceMonitor\n", "release: prometheus\n", "name: maintenance-apiserver-ca\n"},
	},
	"own names": {
		values: []string{"fullnameOverride=drains,serviceAccount.create=false,serviceAccount.name=drainer,commonLabels.team=infra,podLabels.tier=control"},
		want: []string{
			"  name: drains\n", "serviceAccountName: drainer\n", "--service=maintenance-system/drains\n", "    team: infra\n", "        tier: control\n",
		},
		wantNot: []string{"  name: maintenance-apiserver\n"},
	},
	"extras": {
		values: []string{"extraArgs={--v=2},extraEnv[0].name=HTTPS_PROXY,extraEnv[0].value=x,podAnnotations.a=b,imagePullSecrets[0].name=pull,priorityClassName="},
		want:   []string{"        - --v=2\n", "name: HTTPS_PROXY\n", "        a: b\n", "name: pull\n"}, wantNot: []string{"priorityClassName", "ResourceQuota"},
	},
	"no memory limit": {values: []string{"resources.limits=null"}, wantNot: []string{"GOMEMLIMIT"}},
	"no resources":    {values: []string{"resources=null"}, wantNot: []string{"GOMEMLIMIT", "cpu: 100m"}},
	"long name": {
		values: []string{"nameOverride=" + strings.Repeat("n", 63)}, // after the release's name and a hyphen, 31 of it fit
		want:   []string{"  name: maintenance-apiserver-" + strings.Repeat("n", 31) + "-uninstall\n"},
	},
	"server elsewhere, by name": {
		values: []string{"replicaCount=0,service.externalAddress=drains.example,service.port=8443"},
		want:   []string{"externalName: drains.example\n", "    port: 8443\n", "  replicas: 0\n"}, wantNot: []string{"EndpointSlice", "kind: Job\n", "-uninstall"},
	},
	"server elsewhere, by address": {
		values: []string{"replicaCount=0,service.externalAddress=192.0.2.10,service.port=8443"},
		want:   []string{"kind: EndpointSlice\n", `- addresses: ["192.0.2.10"]`, "targetPort: 8443\n", "addressType: IPv4\n"}, wantNot: []string{"externalName", "component: server\n  ports"},
	},
	"server elsewhere, by IPv6 address": {
		values: []string{"replicaCount=0,service.externalAddress=2001:db8::1"}, want: []string{"addressType: IPv6\n"},
	},
	"give back": {
		values: []string{"uninstall.giveBack=true,uninstall.timeoutSeconds=60"},
		want:   []string{"- --give-back\n", "- --timeout=60s\n", "activeDeadlineSeconds: 100\n", "verbs: [list, delete]\n"},
	},
}

func TestRender(t *testing.T) {
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendered, err := render(t, append([]string{image}, set.values...), set.flags...)
			if err != nil {
				t.Fatal(err)
			}
			wantContains(t, "rendered", rendered, set.want...)
			for _, part := range set.wantNot {
				if strings.Contains(rendered, part) {
					t.Errorf("want no %q in:\n%s", part, rendered)
				}
			}
		})
	}
}

// GOMEMLIMIT is nine tenths of the limit, whatever its unit is.
func TestMemoryLimit(t *testing.T) {
	for limit, want := range map[string]string{
		"1Gi": "921MiB", "1.5G": "1287MiB", "800M": "686MiB", "1073741824": "921MiB", "512Mi": "460MiB", "524288Ki": "460MiB", "1Ti": "943718MiB",
	} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			rendered, err := render(t, []string{image, "resources.limits.memory=" + limit}, "--show-only", "templates/deployment.yaml")
			if err != nil {
				t.Fatal(err)
			}
			wantContains(t, "deployment", rendered, "value: "+want+"\n")
		})
	}
}
