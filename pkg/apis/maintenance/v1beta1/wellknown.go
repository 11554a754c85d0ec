// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// The marks that the server leaves on objects while a node is in maintenance.
const (
	// UncordonFinalizer is on every NodeMaintenance from its creation, and
	// keeps it until the node no longer needs what this hold asked for. Only
	// the server itself removes it.
	UncordonFinalizer = GroupName + "/uncordon"

	// DrainTaint is the key of the taint, of effect NoSchedule, that a cordoned
	// node carries. It is the key that node-maintenance-operator uses, so
	// that tolerations and alerts written for it go on working.
	DrainTaint = "medik8s.io/drain"

	// ExcludeFromRemediationLabel, with the value "true", keeps the medik8s
	// remediators from rebooting a node that is down on purpose.
	ExcludeFromRemediationLabel = "remediation.medik8s.io/exclude-from-remediation"

	// HoldsAnnotation says on the Node who holds it and why, as JSON. It is
	// for people to read, and for telling whose a node is that was left behind
	// or that another server holds too.
	HoldsAnnotation = GroupName + "/holds"
)

// DrainLabel on a pod says how a drain treats it, before any rule. The label and its values are
// Cluster API's, so that pods labelled for it are treated alike.
const (
	DrainLabel = "cluster.x-k8s.io/drain"
	// DrainLabelSkip leaves the pod on the node.
	DrainLabelSkip = "skip"
	// DrainLabelWaitCompleted lets the pod run to its end.
	DrainLabelWaitCompleted = "wait-completed"
)
