// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
)

// values turn on all features that give the server permissions.
var values = []string{
	"store.type=cluster", "store.etcd.servers=null", "rbac.allowForce=true",
	"drainTaints={kubevirt.io/drain:NoSchedule}", "formerDrainTaints={example.com/old=yes:NoSchedule}",
	"profiles.nodeKeys={example.com/*,busy,example.org/keep}", "profiles.allowJobs=true", "profiles.jobNamespaces={jobs,bare}", "profiles.jobServiceAccounts={default,firmware}",
	"profiles.jobPriorityClasses={urgent}",
	"profiles.secretNamespace=jobs", "cloudEvents.machineAPI=true", "cloudEvents.machineNamespaces={machines}",
	"nodeLeases.form=Medik8s", "sap.mirrors=true", "sap.namespace=default",
}

// namespaces are made before the chart, which has Roles in them. The namespace bare has no pod security standard.
const namespaces = `
{apiVersion: v1, kind: Namespace, metadata: {name: jobs, labels: {pod-security.kubernetes.io/enforce: baseline}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: bare}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: machines}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}
`

// objects are what requests are about.
const objects = `
{apiVersion: v1, kind: Secret, type: kubernetes.io/tls, metadata: {name: maintenance-apiserver-ca, namespace: maintenance-system}, stringData: {tls.crt: a, tls.key: a}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: other, namespace: maintenance-system}}
---
{apiVersion: v1, kind: Pod, metadata: {name: app, namespace: elsewhere}, spec: {containers: [{name: a, image: a}]}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: ours
  namespace: jobs
  labels: {maintenance.medik8s.io/transition: abc}
  ownerReferences: [{apiVersion: maintenance.medik8s.io/v1beta1, kind: NodeProfile, name: p, uid: a}]
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: theirs, namespace: jobs}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
---
{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {name: set, namespace: machines}, spec: {replicas: 1, selector: {}, template: {spec: {providerSpec: {}}}}}
---
{apiVersion: machine.openshift.io/v1beta1, kind: Machine, metadata: {name: machine, namespace: machines, annotations: {example.com/a: b}}, spec: {providerSpec: {}}}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: maintenance-apiserver, namespace: maintenance-system}, spec: {holderIdentity: ours}}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: ours, namespace: medik8s-leases, labels: {a: b}}, spec: {holderIdentity: node-maintenance}}
---
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: theirs, namespace: medik8s-leases}, spec: {holderIdentity: theirs}}
---
{apiVersion: v1, kind: Event, metadata: {name: ours, namespace: default}, source: {component: maintenance-apiserver}, involvedObject: {kind: Node, name: node-1}}
---
{apiVersion: v1, kind: Event, metadata: {name: theirs, namespace: default}, source: {component: kubelet}, involvedObject: {kind: Node, name: node-1}}
---
{apiVersion: machine.openshift.io/v1beta1, kind: Machine, metadata: {name: machine, namespace: elsewhere}, spec: {providerSpec: {}}}
`

// lastPolicy is made after the guard.
const lastPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: last}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [nodes], operations: [UPDATE]}]}
  validations: [{expression: "!('last' in object.metadata.?annotations.orValue({}))"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: last}
spec: {policyName: last, validationActions: [Deny]}
`

// applied is what another manager has applied to a node.
const applied = `{apiVersion: v1, kind: Node, metadata: {name: node-2, labels: {team: a, example.com/applied: a}}}`

// stored is in the store of the server.
const stored = `{apiVersion: store.maintenance.medik8s.io/v1, kind: Store, metadata: {name: copy-of}, id: a}`

// fullNode is a node with as many labels and finalizers as the server may add to.
func fullNode() string {
	var labels, finalizers []string
	for i := range 512 {
		labels = append(labels, fmt.Sprintf("l%d: a", i))
	}
	for i := range 64 {
		finalizers = append(finalizers, fmt.Sprintf("example.org/f%d", i))
	}
	return fmt.Sprintf("---\n{apiVersion: v1, kind: Node, metadata: {name: full, labels: {%s}, finalizers: [%s]}}", strings.Join(labels, ", "), strings.Join(finalizers, ", "))
}

// managers is a patch of that node, after which it has as many managers as the API server keeps apart.
func managers() string {
	var entries []string
	for i := range 10 {
		entries = append(entries, fmt.Sprintf(`{"manager":"m%d","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:0%dZ","fieldsType":"FieldsV1",
			"fieldsV1":{"f:metadata":{"f:labels":{"f:l%d":{}}}}}`, i, i, i))
	}
	return fmt.Sprintf(`{"metadata":{"managedFields":[%s]}}`, strings.Join(entries, ","))
}

// The paths of what requests are about.
const (
	node          = "/api/v1/nodes/node-1"
	full          = "/api/v1/nodes/full"
	status        = node + "/status"
	pod           = "/api/v1/namespaces/elsewhere/pods/app"
	events        = "/api/v1/namespaces/default/events"
	secrets       = "/api/v1/namespaces/maintenance-system/secrets"
	jobs          = "/apis/batch/v1/namespaces/%s/jobs"
	machines      = "/apis/machine.openshift.io/v1beta1/namespaces/%s/"
	leases        = "/apis/coordination.k8s.io/v1/namespaces/maintenance-system/leases"
	leasesOfNodes = "/apis/coordination.k8s.io/v1/namespaces/medik8s-leases/leases"
	flowSchema    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/service-accounts/status"
	stores        = "/apis/store.maintenance.medik8s.io/v1/stores"
	apiService    = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.maintenance.medik8s.io"
)

// job is a Job as the server creates it, with further fields of its metadata and its pod.
func job(metadata, suspend, pod string) string {
	return fmt.Sprintf(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"new","labels":{"maintenance.medik8s.io/transition":"abc"},
		"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"a"}]%s},
		"spec":{"suspend":%s,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]%s}}}}`, metadata, suspend, pod)
}

func secret(name, kind string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","type":%q,"metadata":{"name":%q,"annotations":{"kubernetes.io/service-account.name":"other"}},
		"stringData":{"tls.crt":"a","tls.key":"a"}}`, kind, name)
}

func lease(name string) string {
	return fmt.Sprintf(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":%q}}`, name)
}

// event is an event of the server, with further fields of its metadata and its own.
func event(metadata, fields string) string {
	return fmt.Sprintf(`{"metadata":{"name":"a","namespace":"default"%s},"source":{"component":"maintenance-apiserver"},"reportingComponent":"maintenance-apiserver",
		"involvedObject":{"kind":"Node","name":"node-1"}%s}`, metadata, fields)
}

// manages is a merge patch that has a manager own a field of metadata, in the version of its kind.
func manages(manager, operation, version, field string) string {
	return fmt.Sprintf(`{"metadata":{"managedFields":[{"manager":%q,"operation":%q,"apiVersion":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{%s}}}]}}`,
		manager, operation, version, field)
}

// hostname is a label of a node, in an entry of managedFields.
const hostname = `"f:labels":{"f:kubernetes.io/hostname":{}}`

// dangling is what the queueing of requests applies to a FlowSchema.
const dangling = `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"service-accounts"},"status":{"conditions":[{"type":"Dangling","status":"True"}]}}`

// long is a text of so many bytes.
func long(bytes int) string { return strings.Repeat("a", bytes) }
