// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The resources that a Server serves.
var (
	Pods        = corev1.SchemeGroupVersion.WithResource("pods")
	Nodes       = corev1.SchemeGroupVersion.WithResource("nodes")
	Namespaces  = corev1.SchemeGroupVersion.WithResource("namespaces")
	Claims      = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	Volumes     = corev1.SchemeGroupVersion.WithResource("persistentvolumes")
	Events      = corev1.SchemeGroupVersion.WithResource("events")
	DaemonSets  = appsv1.SchemeGroupVersion.WithResource("daemonsets")
	Jobs        = batchv1.SchemeGroupVersion.WithResource("jobs")
	CronJobs    = batchv1.SchemeGroupVersion.WithResource("cronjobs")
	Budgets     = policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")
	Leases      = coordinationv1.SchemeGroupVersion.WithResource("leases")
	Attachments = storagev1.SchemeGroupVersion.WithResource("volumeattachments")
	Holds       = v1beta1.SchemeGroupVersion.WithResource("nodemaintenances")
	Policies    = v1beta1.SchemeGroupVersion.WithResource("maintenancepolicies")
	Ledgers     = v1beta1.SchemeGroupVersion.WithResource("maintenanceledgers")
	Profiles    = v1beta1.SchemeGroupVersion.WithResource("maintenanceprofiles")
	// NodeProfiles are the profiles on nodes.
	NodeProfiles = v1beta1.SchemeGroupVersion.WithResource("nodeprofiles")
	// ScheduledEvents are what clouds and people announced.
	ScheduledEvents = v1beta1.SchemeGroupVersion.WithResource("scheduledevents")
)

// resourceOf tells the resource of an object by its type.
func resourceOf(object runtime.Object) schema.GroupVersionResource {
	switch object.(type) {
	case *corev1.Pod:
		return Pods
	case *corev1.Node:
		return Nodes
	case *corev1.Namespace:
		return Namespaces
	case *corev1.PersistentVolumeClaim:
		return Claims
	case *corev1.PersistentVolume:
		return Volumes
	case *corev1.Event:
		return Events
	case *appsv1.DaemonSet:
		return DaemonSets
	case *batchv1.Job:
		return Jobs
	case *batchv1.CronJob:
		return CronJobs
	case *policyv1.PodDisruptionBudget:
		return Budgets
	case *coordinationv1.Lease:
		return Leases
	case *storagev1.VolumeAttachment:
		return Attachments
	case *v1beta1.NodeMaintenance:
		return Holds
	case *v1beta1.MaintenancePolicy:
		return Policies
	case *v1beta1.MaintenanceLedger:
		return Ledgers
	case *v1beta1.MaintenanceProfile:
		return Profiles
	case *v1beta1.NodeProfile:
		return NodeProfiles
	case *v1beta1.ScheduledEvent:
		return ScheduledEvents
	default:
		panic(fmt.Sprintf("no resource is known for objects of type %T", object))
	}
}

// newList makes an empty list of the objects of a resource.
func newList(resource schema.GroupVersionResource) runtime.Object {
	switch resource {
	case Pods:
		return &corev1.PodList{}
	case Nodes:
		return &corev1.NodeList{}
	case Namespaces:
		return &corev1.NamespaceList{}
	case Claims:
		return &corev1.PersistentVolumeClaimList{}
	case Volumes:
		return &corev1.PersistentVolumeList{}
	case Events:
		return &corev1.EventList{}
	case DaemonSets:
		return &appsv1.DaemonSetList{}
	case Jobs:
		return &batchv1.JobList{}
	case CronJobs:
		return &batchv1.CronJobList{}
	case Budgets:
		return &policyv1.PodDisruptionBudgetList{}
	case Leases:
		return &coordinationv1.LeaseList{}
	case Attachments:
		return &storagev1.VolumeAttachmentList{}
	case Holds:
		return &v1beta1.NodeMaintenanceList{}
	case Policies:
		return &v1beta1.MaintenancePolicyList{}
	case Ledgers:
		return &v1beta1.MaintenanceLedgerList{}
	case Profiles:
		return &v1beta1.MaintenanceProfileList{}
	case NodeProfiles:
		return &v1beta1.NodeProfileList{}
	case ScheduledEvents:
		return &v1beta1.ScheduledEventList{}
	default:
		panic(fmt.Sprintf("no list is known for resource %s", resource))
	}
}
