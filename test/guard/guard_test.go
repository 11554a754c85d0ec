// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package guard makes requests as the server's ServiceAccount, as somebody does who has its token, on a real control plane
// with what the chart makes.
package guard

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineapi"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	// startTimeout bounds the start of the control plane, and its end.
	startTimeout = 6 * time.Minute

	account = "system:serviceaccount:" + localcluster.ServerNamespace + ":" + localcluster.ServerName
)

// Refusals of RBAC.
const (
	cannot = "cannot "
	guard  = "ValidatingAdmissionPolicy 'maintenance-apiserver-guard-"
)

// TestGuard makes each request as a dry run.
func TestGuard(t *testing.T) {
	client := start(t)
	const apply, applyAsQueueing, jsonPatch, patch, change, create, remove, get = "gitops APPLY PATCH", flowcontrol.ConfigConsumerAsFieldManager + " APPLY PATCH", "JSON PATCH", "PATCH", "PUT", "POST", "DELETE", "GET"
	for name, test := range map[string]struct {
		verb, path, body string
		// want is in the refusal; empty: it is allowed.
		want string
	}{
		"cordon": {patch, node, `{"spec":{"unschedulable":true,"taints":[{"key":"medik8s.io/drain","effect":"NoSchedule"},
			{"key":"kubevirt.io/drain","effect":"NoSchedule"},{"key":"example.com/old","value":"yes","effect":"NoSchedule"}]},
			"metadata":{"labels":{"remediation.medik8s.io/exclude-from-remediation":"true"},"annotations":{"maintenance.medik8s.io/holds":"{}"}}}`, ""},
		"plan":               {patch, node, `{"spec":{"taints":[{"key":"maintenance.medik8s.io/planned","value":"id","effect":"PreferNoSchedule"}]}}`, ""},
		"NoExecute taint":    {patch, node, `{"spec":{"taints":[{"key":"medik8s.io/drain","effect":"NoExecute"}]}}`, guard + "nodes' with binding 'maintenance-apiserver-guard-nodes' denied request: maintenance-apiserver may not set or remove the taint medik8s.io/drain:NoExecute: add it to the value drainTaints"},
		"other taint":        {patch, node, `{"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}}`, "the taint node.kubernetes.io/not-ready:NoSchedule"},
		"untaint":            {patch, "/api/v1/nodes/node-2", `{"spec":{"taints":null}}`, "the taint dedicated:NoSchedule"},
		"keys of profiles":   {patch, node, `{"metadata":{"labels":{"example.com/a":"b","busy":"no"},"annotations":{"example.com/c":"d"},"finalizers":["example.org/keep"]}}`, ""},
		"mirror":             {patch, node, `{"metadata":{"labels":{"cloud.sap/maintenance-state":"a"},"annotations":{"cloud.sap/maintenance-data":"a","maintenance.medik8s.io/sap-mirror":"a"}}}`, ""},
		"other label":        {patch, node, `{"metadata":{"labels":{"node-role.kubernetes.io/control-plane":"","example.com/a":"b"}}}`, "may not change the label node-role.kubernetes.io/control-plane of nodes: add it to the value profiles.nodeKeys"},
		"label without":      {patch, node, `{"metadata":{"labels":{"kubernetes.io/hostname":null}}}`, "the label kubernetes.io/hostname"},
		"other annotation":   {patch, node, `{"metadata":{"annotations":{"projectcalico.org/IPv4Address":"10.0.0.1"}}}`, "the annotation projectcalico.org/IPv4Address"},
		"other finalizer":    {patch, node, `{"metadata":{"finalizers":["theirs.example.org/keep"]}}`, "the finalizer theirs.example.org/keep"},
		"of a domain":        {patch, node, `{"metadata":{"finalizers":["example.com/e"]}}`, "may not change the finalizer example.com/e of nodes: add it to the value profiles.nodeKeys"},
		"513 labels":         {patch, full, `{"metadata":{"labels":{"example.com/a":"b"}}}`, "adds no labels to a node that has 512"},
		"65 finalizers":      {jsonPatch, full, `[{"op":"add","path":"/metadata/finalizers/-","value":"example.org/keep"}]`, "adds no finalizers to a node that has 64"},
		"huge annotation":    {patch, node, `{"metadata":{"annotations":{"example.com/a":"` + long(224<<10) + `"}}}`, "leaves room for annotations of others"},
		"11th manager":       {patch, full, `{"spec":{"unschedulable":true}}`, ""},
		"applied by others":  {patch, "/api/v1/nodes/node-2", `{"metadata":{"labels":{"example.com/applied":"b"}}}`, ""},
		"apply":              {apply, node, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1","labels":{"example.com/a":"b"}}}`, "and not gitops"},
		"forged apply":       {patch, node, manages("gitops", "Apply", "v1", hostname), "may have more fields than before, and not gitops"},
		"forged apply later": {patch, node, manages("kubectl-client-side-apply", "Update", "v1", hostname), "and not kubectl-client-side-apply"},
		"apply as itself":    {patch, node, manages("maintenance-apiserver", "Apply", "v1", hostname), "and not maintenance-apiserver"},
		"ancient changes":    {patch, node, manages("ancient-changes", "Update", "v1", hostname), "and not ancient-changes"},
		"forged field":       {jsonPatch, "/api/v1/nodes/node-2", `[{"op":"add","path":"/metadata/managedFields/0/fieldsV1/f:metadata/f:labels/f:kubernetes.io~1hostname","value":{}}]`, "and not gitops"},
		"owner":              {patch, node, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"a"}]}}`, "of the metadata of a node, maintenance-apiserver changes only"},
		"provider":           {patch, node, `{"spec":{"providerID":"aws:///a/i-1"}}`, "of the spec of a node, maintenance-apiserver changes only"},
		"addresses of pods":  {patch, node, `{"spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]}}`, "of the spec of a node, maintenance-apiserver changes only"},
		"delete a node":      {remove, node, "", cannot + `delete resource "nodes"`},

		"our condition":  {patch, status, `{"status":{"conditions":[{"type":"Drained","status":"True","reason":"NodeMaintenance"}]}}`, ""},
		"huge condition": {patch, status, `{"status":{"conditions":[{"type":"Drained","reason":"NodeMaintenance","message":"` + long(257) + `"}]}}`, "the reason NodeMaintenance and a short message"},
		"huge status":    {patch, status, `{"status":{"conditions":[{"type":"Drained","reason":"NodeMaintenance","status":"` + long(17) + `"}]}}`, "the reason NodeMaintenance and a short message"},
		"condition twice": {jsonPatch, status, `[{"op":"add","path":"/status/conditions/-","value":{"type":"Drained","status":"True","reason":"NodeMaintenance"}},
			{"op":"add","path":"/status/conditions/-","value":{"type":"Drained","status":"False","reason":"NodeMaintenance"}}]`, "sets each condition of a node once"},
		"another's reason": {patch, status, `{"status":{"conditions":[{"type":"Drained","status":"True","reason":"a"}]}}`, "the reason NodeMaintenance and a short message"},
		"apply a condition": {
			apply, status, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1"},"status":{"conditions":[{"type":"Drained","status":"True","reason":"NodeMaintenance"}]}}`, "and not gitops",
		},
		"second Ready":    {jsonPatch, status, `[{"op":"copy","from":"/status/conditions/0","path":"/status/conditions/0"}]`, "sets only the conditions"},
		"not ready":       {patch, status, `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`, "sets only the conditions"},
		"addresses":       {patch, status, `{"status":{"addresses":[{"type":"InternalIP","address":"10.6.6.6"}]}}`, "of the status of a node, maintenance-apiserver changes only conditions"},
		"allocatable":     {patch, status, `{"status":{"allocatable":{"cpu":"1"}}}`, "of the status of a node, maintenance-apiserver changes only conditions"},
		"kubelet's port":  {patch, status, `{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":6666}}}}`, "of the status of a node, maintenance-apiserver changes only conditions"},
		"label by status": {patch, status, `{"metadata":{"labels":{"node-role.kubernetes.io/control-plane":""}}}`, "of the status of a node, maintenance-apiserver changes only conditions"},
		"owner by status": {patch, status, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"a"}]}}`, "of the status of a node, maintenance-apiserver changes only conditions"},
		"proxy of nodes":  {create, node + "/proxy/run/a/b/c", "{}", cannot + `create resource "nodes/proxy"`},

		"evict":           {create, pod + "/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"app"}}`, ""},
		"evict slowly":    {create, pod + "/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"app"},"deleteOptions":{"gracePeriodSeconds":1,"preconditions":{"uid":null}}}`, ""},
		"evict by force":  {create, pod + "/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"app"},"deleteOptions":{"gracePeriodSeconds":0}}`, "with a grace period of 1 second at least"},
		"delete pod":      {remove, pod, "", ""},
		"delete by force": {remove, pod, `{"dryRun":["All"],"gracePeriodSeconds":0}`, "pods that run with a grace period of 1 second at least"},
		"pod that stays":  {remove, pod, `{"dryRun":["All"],"propagationPolicy":"Foreground"}`, "deletes in the background"},
		"make a pod":      {create, "/api/v1/namespaces/elsewhere/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`, cannot + `create resource "pods"`},

		"renew the CA":                 {change, secrets + "/maintenance-apiserver-ca", `{"stringData":{"tls.crt":"b"}}`, ""},
		"CA that stays":                {change, secrets + "/maintenance-apiserver-ca", `{"immutable":true}`, "writes only the data and its own annotation"},
		"CA for others":                {change, secrets + "/maintenance-apiserver-ca", `{"metadata":{"annotations":{"a":"b"}}}`, "writes only the data and its own annotation"},
		"CA with more":                 {change, secrets + "/maintenance-apiserver-ca", `{"stringData":{"a":"b"}}`, "writes only CAs and their keys"},
		"huge CA":                      {change, secrets + "/maintenance-apiserver-ca", `{"stringData":{"ca.crt":"` + long(50<<10) + `"}}`, "writes only CAs and their keys"},
		"new CA":                       {create, secrets, `{"type":"kubernetes.io/tls","metadata":{"name":"maintenance-apiserver-ca","labels":{"app.kubernetes.io/name":"maintenance-apiserver"},"annotations":{"maintenance.medik8s.io/ca-signs-since":"a"}},"stringData":{"tls.crt":"a","tls.key":"a"}}`, "already exists"},
		"new CA of an owner":           {create, secrets, `{"type":"kubernetes.io/tls","metadata":{"name":"maintenance-apiserver-ca","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"a"}]},"stringData":{"tls.crt":"a","tls.key":"a"}}`, "writes only the data and its own annotation"},
		"other Secret":                 {create, secrets, secret("a", "kubernetes.io/tls"), guard + "own"},
		"token":                        {create, secrets, secret("a", "kubernetes.io/service-account-token"), guard + "own"},
		"token in place of the CA":     {create, secrets, secret("maintenance-apiserver-ca", "kubernetes.io/service-account-token"), guard + "own"},
		"read another Secret":          {get, secrets + "/a", "", cannot + `get resource "secrets"`},
		"token of a ServiceAccount":    {create, "/api/v1/namespaces/maintenance-system/serviceaccounts/other/token", `{}`, cannot + `create resource "serviceaccounts/token"`},
		"Secret of endpoints to write": {create, "/api/v1/namespaces/jobs/secrets", secret("a", "Opaque"), cannot + `create resource "secrets"`},
		"other Lease":                  {create, leases, lease("a"), "maintenance-apiserver has only the Lease"},
		"Lease of the leader":          {create, leases, lease("maintenance-apiserver"), "already exists"},
		"lead":                         {change, leases + "/maintenance-apiserver", `{"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":1}}`, ""},
		"label of the leader's Lease":  {change, leases + "/maintenance-apiserver", `{"metadata":{"labels":{"a":"b"}}}`, "changes only the spec"},
		"long name of the leader":      {change, leases + "/maintenance-apiserver", `{"spec":{"holderIdentity":"` + long(513) + `"}}`, "has a holder with a short name"},
		"Lease of a node":              {create, leasesOfNodes, lease("node-1"), ""},
		"Lease of a node with a label": {create, leasesOfNodes, `{"metadata":{"name":"node-1","labels":{"a":"b"}}}`, "of the metadata of leases of nodes"},
		"Lease of two nodes": {create, leasesOfNodes, `{"metadata":{"name":"node-1","ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"a"},
			{"apiVersion":"v1","kind":"Node","name":"node-2","uid":"b"}]}}`, "of the metadata of leases of nodes"},
		"drop its Lease":                {remove, leasesOfNodes + "/ours", `{"dryRun":["All"],"propagationPolicy":"Background"}`, ""},
		"drop its Lease, which stays":   {remove, leasesOfNodes + "/ours", `{"dryRun":["All"],"propagationPolicy":"Foreground"}`, "deletes in the background"},
		"Lease of another":              {create, leasesOfNodes, `{"metadata":{"name":"node-1"},"spec":{"holderIdentity":"a"}}`, "only as node-maintenance"},
		"Lease for good":                {create, leasesOfNodes, `{"metadata":{"name":"node-1"},"spec":{"holderIdentity":"node-maintenance","leaseDurationSeconds":3601}}`, "for an hour"},
		"Lease that stays":              {create, leasesOfNodes, `{"metadata":{"name":"node-1","finalizers":["example.com/a"]}}`, "of the metadata of leases of nodes"},
		"drop another's Lease":          {remove, leasesOfNodes + "/theirs", "", "deletes none of others"},
		"manager of a Lease":            {change, leasesOfNodes + "/ours", manages("gitops", "Apply", "coordination.k8s.io/v1", `"f:labels":{"f:a":{}}`), "and not gitops"},
		"take a Lease":                  {change, leasesOfNodes + "/theirs", `{"spec":{"holderIdentity":"node-maintenance","leaseDurationSeconds":3600},"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"a"}]}}`, ""},
		"Lease of a kubelet":            {remove, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1", "", cannot + `delete resource "leases"`},
		"event of a node":               {create, events, event("", `,"reason":"Drained","message":"`+long(4096)+`","type":"Normal","count":1`), ""},
		"long message":                  {create, events, event("", `,"message":"`+long(4097)+`"`), "the events of maintenance-apiserver have short messages"},
		"event that stays":              {create, events, event(`,"finalizers":["example.com/a"]`, ""), "no finalizers"},
		"event with labels":             {create, events, event(`,"labels":{"a":"b"}`, ""), "no finalizers, owners, labels"},
		"long reason":                   {create, events, event("", `,"reason":"`+long(1025)+`"`), "the events of maintenance-apiserver have short texts"},
		"event of a long name":          {create, events, event("", `,"related":{"name":"`+long(1025)+`"}`), "the events of maintenance-apiserver have short texts"},
		"event of the kubelet":          {create, events, `{"metadata":{"name":"a","namespace":"default"},"source":{"component":"kubelet"},"involvedObject":{"kind":"Node","name":"node-1"}}`, "writes only its own events"},
		"apply an event":                {apply, events + "/ours", `{"apiVersion":"v1","kind":"Event","metadata":{"name":"ours","namespace":"default"},"reason":"a"}`, "and not gitops"},
		"apply a FlowSchema":            {apply, flowSchema, dangling, "only as the queueing of requests does"},
		"apply a FlowSchema as it does": {applyAsQueueing, flowSchema, dangling, ""},
		"label its event":               {patch, events + "/ours", `{"metadata":{"labels":{"a":"b"}}}`, "no finalizers, owners, labels"},
		"count its event":               {patch, events + "/ours", `{"count":2}`, ""},
		"change its event":              {patch, events + "/theirs", `{"message":"a","source":{"component":"maintenance-apiserver"}}`, "writes only its own events"},
		"FlowSchema that dangles":       {patch, flowSchema, `{"status":{"conditions":[{"type":"Dangling","status":"True"}]}}`, ""},
		"huge FlowSchema":               {patch, flowSchema, `{"status":{"conditions":[{"type":"Dangling","status":"True","reason":"` + long(65) + `"}]}}`, "changes only the condition Dangling"},
		"FlowSchema":                    {patch, flowSchema, `{"status":{"conditions":[{"type":"a","status":"True"}]}}`, "changes only the condition Dangling"},
		"event elsewhere":               {create, "/api/v1/namespaces/kube-system/events", `{"metadata":{"name":"a"}}`, cannot + `create resource "events"`},

		"publish the CA":            {patch, apiService, `{"spec":{"caBundle":"LS0tLS1CRUdJTg=="}}`, ""},
		"other Service":             {patch, apiService, `{"spec":{"service":{"namespace":"elsewhere","name":"a"}}}`, "of an APIService, maintenance-apiserver changes only the caBundle"},
		"huge CA to publish":        {patch, apiService, `{"spec":{"caBundle":"` + long(64<<10+4) + `"}}`, "the caBundle that maintenance-apiserver sets is short"},
		"manager of the APIService": {patch, apiService, manages("helm", "Apply", "apiregistration.k8s.io/v1", `"f:labels":{"f:app.kubernetes.io/name":{}}`), "and not helm"},
		"label of the APIService":   {patch, apiService, `{"metadata":{"labels":{"a":"b"}}}`, "of an APIService, maintenance-apiserver changes only the caBundle"},
		"APIService of others":      {patch, "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps", `{"spec":{"caBundle":"YQ=="}}`, cannot + `patch resource "apiservices"`},

		"Job":                           {create, fmt.Sprintf(jobs, "jobs"), job("", "true", ""), ""},
		"Job as a named ServiceAccount": {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"serviceAccountName":"firmware"`), ""},
		"Job as another ServiceAccount": {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"serviceAccountName":"admin"`), "may not run Jobs as the ServiceAccount admin: add it to the value profiles.jobServiceAccounts"},
		"Job by the old field":          {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"serviceAccount":"admin"`), "may not run Jobs as the ServiceAccount admin"},
		"Job in kube-system":            {create, fmt.Sprintf(jobs, "kube-system"), job("", "true", ""), cannot + `create resource "jobs"`},
		"Job where nothing limits pods": {create, fmt.Sprintf(jobs, "bare"), job("", "true", ""), "namespace bare has no label pod-security.kubernetes.io/enforce"},
		"Job of nobody":                 {create, fmt.Sprintf(jobs, "jobs"), `{"metadata":{"name":"new"},"spec":{"suspend":true,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}}}`, "has only Jobs whose owner is the node"},
		"Job of something else":         {create, fmt.Sprintf(jobs, "jobs"), strings.Replace(job("", "true", ""), `"Node"`, `"Namespace"`, 1), "has only Jobs whose owner is the node"},
		"Job of a NodeProfile":          {create, fmt.Sprintf(jobs, "jobs"), strings.Replace(job("", "true", ""), `"v1","kind":"Node"`, `"maintenance.medik8s.io/v1beta1","kind":"NodeProfile"`, 1), "has only Jobs whose owner is the node"},
		"Job that runs at once":         {create, fmt.Sprintf(jobs, "jobs"), job("", "false", ""), "creates Jobs suspended"},
		"Job that stays":                {create, fmt.Sprintf(jobs, "jobs"), job(`,"finalizers":["example.com/a"]`, "true", ""), "without finalizers"},
		"Job of two pods":               {create, fmt.Sprintf(jobs, "jobs"), job("", `true,"parallelism":2`, ""), "creates Jobs with one pod"},
		"Job of two pods in turn":       {create, fmt.Sprintf(jobs, "jobs"), job("", `true,"completions":2`, ""), "creates Jobs with one pod"},
		"Job of a reboot":               {create, fmt.Sprintf(jobs, "jobs"), job("", `true,"completions":1,"parallelism":1,"backoffLimit":0`, ""), ""},
		"Job of others' pods": {
			create, fmt.Sprintf(jobs, "jobs"),
			strings.Replace(job("", `true,"manualSelector":true,"selector":{"matchLabels":{"a":"b"}}`, ""), `"template":{`, `"template":{"metadata":{"labels":{"a":"b"}},`, 1), "without spec.manualSelector",
		},
		"Job beside the scheduler":  {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"nodeName":"node-1"`), "without spec.nodeName"},
		"Job of pods that stay":     {create, fmt.Sprintf(jobs, "jobs"), strings.Replace(job("", "true", ""), `"template":{`, `"template":{"metadata":{"finalizers":["example.com/a"]},`, 1), "without spec.nodeName and finalizers"},
		"Job of another controller": {create, fmt.Sprintf(jobs, "jobs"), job("", `true,"managedBy":"example.com/a"`, ""), "without spec.managedBy"},
		"Job with a named priority": {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"priorityClassName":"urgent"`), ""},
		"Job with a priority":       {create, fmt.Sprintf(jobs, "jobs"), job("", "true", `,"priorityClassName":"system-node-critical"`), "with the priority class system-node-critical: add it to the value profiles.jobPriorityClasses"},
		"manager of a Job":          {patch, fmt.Sprintf(jobs, "jobs") + "/ours", manages("gitops", "Apply", "batch/v1", `"f:labels":{"f:maintenance.medik8s.io/transition":{}}`), "and not gitops"},
		"start a Job":               {patch, fmt.Sprintf(jobs, "jobs") + "/ours", `{"metadata":{"annotations":{"maintenance.medik8s.io/started":"now"}},"spec":{"suspend":false}}`, ""},
		"stop a Job":                {patch, fmt.Sprintf(jobs, "jobs") + "/ours", `{"spec":{"activeDeadlineSeconds":1}}`, ""},
		"change a Job":              {patch, fmt.Sprintf(jobs, "jobs") + "/ours", `{"spec":{"backoffLimit":9}}`, "of a Job, maintenance-apiserver changes only"},
		"Job for its own purposes":  {patch, fmt.Sprintf(jobs, "jobs") + "/ours", `{"metadata":{"labels":{"a":"b"}}}`, "of a Job, maintenance-apiserver changes only"},
		"start others' Job":         {patch, fmt.Sprintf(jobs, "jobs") + "/theirs", `{"spec":{"suspend":false}}`, "has only Jobs whose owner is the node"},

		"scale":                      {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"spec":{"replicas":2},"metadata":{"annotations":{"maintenance.medik8s.io/surge":"a","maintenance.medik8s.io/surge-replicas":"2"}}}`, ""},
		"scale to none":              {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"spec":{"replicas":0}}`, "and takes away no other"},
		"scale by two":               {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"spec":{"replicas":3},"metadata":{"annotations":{"maintenance.medik8s.io/surge":"a"}}}`, "adds a machine to a set for each event"},
		"record without a machine":   {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"metadata":{"annotations":{"maintenance.medik8s.io/surge":"a,b"}}}`, "adds a machine to a set for each event"},
		"machine template":           {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"spec":{"template":{"spec":{"providerSpec":{"value":{"userData":"a"}}}}}}`, "of the spec of a set of machines, maintenance-apiserver changes only replicas"},
		"owner of a set":             {change, fmt.Sprintf(machines, "machines") + "machinesets/set", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"a"}]}}`, "changes only its own annotations"},
		"manager of a machine":       {change, fmt.Sprintf(machines, "machines") + "machines/machine", manages("gitops", "Apply", "machine.openshift.io/v1beta1", `"f:annotations":{"f:example.com/a":{}}`), "and not gitops"},
		"mark a machine":             {change, fmt.Sprintf(machines, "machines") + "machines/machine", `{"metadata":{"annotations":{"machine.openshift.io/delete-machine":"a","machine.openshift.io/exclude-node-draining":"a"}}}`, ""},
		"change a machine":           {change, fmt.Sprintf(machines, "machines") + "machines/machine", `{"spec":{"providerID":"a"}}`, "maintenance-apiserver changes only replicas"},
		"delete a machine":           {remove, fmt.Sprintf(machines, "machines") + "machines/machine", "", ""},
		"delete a machine alone":     {remove, fmt.Sprintf(machines, "machines") + "machines/machine", `{"dryRun":["All"],"propagationPolicy":"Orphan"}`, "deletes in the background"},
		"delete it in another way":   {remove, fmt.Sprintf(machines, "machines") + "machines/machine", `{"dryRun":["All"],"orphanDependents":true}`, "deletes in the background"},
		"delete a set":               {remove, fmt.Sprintf(machines, "machines") + "machinesets/set", "", cannot + `delete resource "machinesets"`},
		"a machine elsewhere":        {remove, fmt.Sprintf(machines, "elsewhere") + "machines/machine", "", cannot + `delete resource "machines"`},
		"the guard":                  {remove, "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/maintenance-apiserver-guard-nodes", "", cannot + `delete resource "validatingadmissionpolicybindings"`},
		"its own permissions":        {patch, "/apis/rbac.authorization.k8s.io/v1/clusterroles/maintenance-apiserver", `{"rules":[]}`, cannot + `patch resource "clusterroles"`},
		"store of another name":      {create, stores, `{"apiVersion":"store.maintenance.medik8s.io/v1","kind":"Store","metadata":{"name":"a"},"id":"a"}`, "only the Stores store and copy-of"},
		"store that stays":           {create, stores, `{"apiVersion":"store.maintenance.medik8s.io/v1","kind":"Store","metadata":{"name":"copy-of","finalizers":["example.com/a"]},"id":"a"}`, "no owners and no finalizers"},
		"store of a long name":       {create, stores, `{"apiVersion":"store.maintenance.medik8s.io/v1","kind":"Store","metadata":{"name":"store"},"id":"` + long(254) + `"}`, "may not be more than 253"},
		"empty the store":            {remove, stores + "/copy-of", `{"dryRun":["All"],"propagationPolicy":"Background"}`, ""},
		"empty it in the foreground": {remove, stores + "/copy-of", `{"dryRun":["All"],"propagationPolicy":"Foreground"}`, "is deleted at once"},
		"empty it of others":         {remove, stores + "/copy-of", `{"dryRun":["All"],"orphanDependents":true}`, "is deleted at once"},
		"huge object":                {create, strings.Replace(stores, "stores", "storednodemaintenances", 1), `{"apiVersion":"store.maintenance.medik8s.io/v1","kind":"StoredNodeMaintenance","metadata":{"name":"a"},"data":"` + long(1572865) + `"}`, "may not be more than 1572864"},
		"kinds of the store":         {remove, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/stores.store.maintenance.medik8s.io", "", cannot + `delete resource "customresourcedefinitions"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := request(t, client, test.verb, test.path, test.body)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && err == nil:
				t.Errorf("allowed, want a refusal that says %q", test.want)
			case test.want != "" && !strings.Contains(err.Error(), test.want):
				t.Errorf("got %v, want a refusal that says %q", err, test.want)
			}
		})
	}
}

// start returns a client of the admin on a control plane of the test's own, which has what the chart makes. The server
// itself does not run.
func start(t *testing.T) rest.Interface {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	cluster, err := localcluster.Start(ctx, localcluster.Options{Nodes: 2, Log: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	})
	if err := machineapi.InstallOpenShift(ctx, cluster.Dynamic()); err != nil {
		t.Fatal(err)
	}
	kubectl := (&env.Env{Cluster: cluster}).Kubectl()
	kubectl.Must(t, namespaces, "create", "-f", "-")
	if err := cluster.ApplyChart(ctx, values...); err != nil {
		t.Fatal(err)
	}
	kubectl.Must(t, objects+fullNode(), "create", "-f", "-")
	kubectl.Must(t, "", "patch", "node", "full", "--type=merge", "--patch="+managers())
	kubectl.Must(t, "", "taint", "node", "node-2", "dedicated=a:NoSchedule")
	kubectl.Must(t, applied, "apply", "--server-side", "--field-manager=gitops", "-f", "-")
	kubectl.Must(t, stored, "create", "-f", "-", "--as="+account)
	config, err := cluster.UserConfig("admin", user.SystemPrivilegedGroup)
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = localcluster.ServerName + "/v1" // as the program of the server has it
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	client := kube.CoreV1().RESTClient()
	// The API server learns of policies and of permissions a while after they are made, and of the last policy last.
	kubectl.Must(t, lastPolicy, "create", "-f", "-")
	env.Eventually(t, "the guard is in force", func(ctx context.Context) string {
		err := client.Patch(types.MergePatchType).AbsPath(node).Param("dryRun", metav1.DryRunAll).Body([]byte(`{"metadata":{"annotations":{"last":"a"}}}`)).Do(ctx).Error()
		if err == nil || !strings.Contains(err.Error(), "'last'") {
			return fmt.Sprintf("it is not: %v", err)
		}
		return ""
	})
	return client
}

// patchTypes are those of patches, by whether they are of a status.
var patchTypes = map[bool]types.PatchType{true: types.StrategicMergePatchType, false: types.MergePatchType}

// asAccount has the admin make a request as the server's ServiceAccount, and changes nothing.
func asAccount(request *rest.Request) *rest.Request {
	return request.SetHeader(authenticationv1.ImpersonateUserHeader, account).Param("dryRun", metav1.DryRunAll)
}

// request makes a request as the account. The body of a PUT is a merge patch of what is there.
func request(t *testing.T, client rest.Interface, verb, path, body string) error {
	t.Helper()
	content := []byte(body)
	made := client.Verb(verb)
	if manager, applies := strings.CutSuffix(verb, " APPLY PATCH"); applies {
		made = client.Patch(types.ApplyYAMLPatchType).Param("fieldManager", manager).Param("force", "true")
	}
	switch verb {
	case "JSON PATCH":
		made = client.Patch(types.JSONPatchType)
	case "PATCH":
		made = client.Patch(patchTypes[path == status])
	case "PUT":
		found, err := client.Get().AbsPath(path).DoRaw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if content, err = jsonpatch.MergePatch(found, content); err != nil {
			t.Fatal(err)
		}
	}
	made = asAccount(made.AbsPath(path))
	if body != "" {
		made = made.Body(content)
	}
	if !strings.HasSuffix(verb, "PATCH") {
		made = made.SetHeader("Content-Type", "application/json")
	}
	return made.Do(t.Context()).Error()
}
