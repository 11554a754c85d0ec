// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import "slices"

// What stays of each kind, besides its metadata. A kind without an entry is not collected.
var (
	// Node is a node. Its images are left out, since they are many.
	Node = Keep("spec.unschedulable", "spec.taints", "spec.providerID", "spec.podCIDRs", "status.conditions",
		"status.addresses", "status.capacity", "status.allocatable", "status.nodeInfo", "status.volumesAttached",
		"status.volumesInUse")

	// Hold is a NodeMaintenance of any group, and whatever else is ours.
	Hold = Keep("spec", "status")

	// NodeProfile is a NodeProfile. What notifications say is left out: they may quote annotations of the node.
	NodeProfile = Keep(nodeProfilePaths...)

	// Endpoint is a MaintenanceEndpoint. URLs are left out: those of webhooks are often secret.
	Endpoint = Keep("spec.smtp", "spec.secretRef", "spec.timeoutSeconds", "spec.perMinute", "status")

	// Pod is a pod. Of environment variables only the names stay. Commands, arguments, probes and hooks are
	// left out, and so are the messages of containers, which quote commands and logs.
	Pod = Keep(podPaths...)

	// ServerPod is a pod of our server, with the arguments of all its containers. Of others than our own, take
	// them out before.
	ServerPod = Keep(slices.Concat(podPaths, []string{"spec.containers.args"})...)

	// Budget is a disruption budget.
	Budget = Keep("spec", "status")

	// Lease is a lease.
	Lease = Keep("spec")

	// Store is what has the ID of the store in the cluster.
	Store = Keep("id")

	// Claim is a PersistentVolumeClaim.
	Claim = Keep("spec.accessModes", "spec.resources", "spec.storageClassName", "spec.volumeMode", "spec.volumeName", "status")

	// Attachment is a VolumeAttachment. Its inline volume and the driver's metadata are left out.
	Attachment = Keep("spec.attacher", "spec.nodeName", "spec.source.persistentVolumeName", "status.attached",
		"status.attachError", "status.detachError")

	// VirtualMachineInstance is KubeVirt's. What the machine boots with, such as cloud-init, is left out.
	VirtualMachineInstance = Keep("spec.evictionStrategy", "spec.nodeSelector", "spec.tolerations", "spec.affinity",
		"status.phase", "status.reason", "status.nodeName", "status.evacuationNodeName", "status.activePods",
		"status.conditions", "status.migrationState", "status.migrationMethod", "status.migrationTransport")

	// Migration is KubeVirt's VirtualMachineInstanceMigration.
	Migration = Keep("spec.vmiName", "status.phase", "status.conditions", "status.migrationState",
		"status.phaseTransitionTimestamps")

	// Event is an event. Its message stays, and may quote anything.
	Event = Keep("type", "reason", "message", "action", "count", "firstTimestamp", "lastTimestamp", "eventTime", "series",
		"source", "reportingComponent", "reportingInstance", "involvedObject", "related")

	// APIService is how an API group is served. Its CA is left out.
	APIService = Keep("spec.group", "spec.version", "spec.service", "spec.groupPriorityMinimum", "spec.versionPriority", "status")

	// Webhooks is a configuration of webhooks.
	Webhooks = Keep("webhooks.name", "webhooks.failurePolicy", "webhooks.timeoutSeconds", "webhooks.matchPolicy", "webhooks.rules",
		"webhooks.namespaceSelector", "webhooks.objectSelector", "webhooks.sideEffects", "webhooks.clientConfig.service")

	// Policy is an admission policy. Its expressions are left out.
	Policy = Keep("spec.failurePolicy", "spec.matchConstraints")
)

var nodeProfilePaths = []string{
	"spec", "status.profileGeneration", "status.state", "status.sequence", "status.attempt", "status.since", "status.previous",
	"status.nodeUID", "status.nodeGoneTime", "status.transition", "status.checks", "status.transitions", "status.waitingFor",
	"status.decisions", "status.history", "status.hold", "status.conditions",
	"status.notifications.id", "status.notifications.notifier", "status.notifications.occasion",
	"status.notifications.sequence", "status.notifications.state", "status.notifications.time",
	"status.notifications.target.kind", "status.notifications.target.endpoint", "status.notifications.target.delivery",
	"status.notifications.attempts", "status.notifications.nextTime", "status.notifications.sentTime",
	"status.notifications.message",
}

var podPaths = slices.Concat([]string{
	"spec.nodeName", "spec.nodeSelector", "spec.affinity", "spec.tolerations", "spec.topologySpreadConstraints",
	"spec.priority", "spec.priorityClassName", "spec.preemptionPolicy", "spec.terminationGracePeriodSeconds",
	"spec.restartPolicy", "spec.schedulerName", "spec.schedulingGates", "spec.serviceAccountName", "spec.hostNetwork",
	"spec.activeDeadlineSeconds", "spec.readinessGates",
	"spec.volumes.name", "spec.volumes.persistentVolumeClaim", "spec.volumes.emptyDir", "spec.volumes.hostPath",
	"spec.volumes.configMap.name", "spec.volumes.secret.secretName", "spec.volumes.csi.driver", "spec.volumes.nfs",
	"spec.volumes.ephemeral.volumeClaimTemplate.spec",
	"status.phase", "status.reason", "status.message", "status.conditions", "status.startTime", "status.qosClass",
	"status.nominatedNodeName", "status.hostIP", "status.podIP",
}, containerPaths())

// containerPaths are what stays of containers and of their status.
func containerPaths() []string {
	var paths []string
	for _, list := range []string{"spec.containers.", "spec.initContainers.", "spec.ephemeralContainers."} {
		for _, field := range []string{"name", "image", "env.name", "resources", "ports", "volumeMounts", "restartPolicy"} {
			paths = append(paths, list+field)
		}
	}
	for _, list := range []string{"status.containerStatuses.", "status.initContainerStatuses.", "status.ephemeralContainerStatuses."} {
		for _, field := range []string{"name", "image", "ready", "started", "restartCount"} {
			paths = append(paths, list+field)
		}
		for _, state := range []string{"state.", "lastState."} {
			for _, field := range []string{
				"running", "waiting.reason", "terminated.exitCode", "terminated.signal", "terminated.reason",
				"terminated.startedAt", "terminated.finishedAt",
			} {
				paths = append(paths, list+state+field)
			}
		}
	}
	return paths
}
