{{/* What depends on the cluster or on several values. "true", or nothing. */}}

{{- define "maintenance-apiserver.kubevirt" -}}
{{- if kindIs "invalid" .Values.kubevirt.enabled }}
{{- if .Capabilities.APIVersions.Has "kubevirt.io/v1" }}true{{ end }}
{{- else if .Values.kubevirt.enabled }}true{{ end }}
{{- end }}

{{- define "maintenance-apiserver.openshift" -}}
{{- if kindIs "invalid" .Values.openshift.enabled }}
{{- if .Capabilities.APIVersions.Has "security.openshift.io/v1" }}true{{ end }}
{{- else if .Values.openshift.enabled }}true{{ end }}
{{- end }}

{{/* The group of MachineMaintenances; all other old groups have NodeMaintenances. */}}
{{- define "maintenance-apiserver.machineMaintenanceGroup" -}}
machinemaintenance.managed.openshift.io
{{- end }}

{{/* The version of an old group, and the name of its CRD. */}}
{{- define "maintenance-apiserver.legacyVersion" -}}
{{- has . (list "kubevirt.io" (include "maintenance-apiserver.machineMaintenanceGroup" .)) | ternary "v1alpha1" "v1beta1" }}
{{- end }}

{{- define "maintenance-apiserver.legacyCRD" -}}
{{- eq . (include "maintenance-apiserver.machineMaintenanceGroup" .) | ternary "machinemaintenances" "nodemaintenances" }}.{{ . }}
{{- end }}

{{- define "maintenance-apiserver.nodeLeaseForm" -}}
{{- $operators := without .Values.legacyGroups (include "maintenance-apiserver.machineMaintenanceGroup" .) }}
{{- .Values.nodeLeases.form | default (ternary "Medik8s" "Off" (not (empty $operators))) }}
{{- end }}

{{- define "maintenance-apiserver.nodeLeaseNamespace" -}}
{{- $default := eq (include "maintenance-apiserver.nodeLeaseForm" .) "KubeVirt" | ternary "node-maintenance" "medik8s-leases" }}
{{- default $default .Values.nodeLeases.namespace }}
{{- end }}

{{- define "maintenance-apiserver.systemPriority" -}}
{{- if hasPrefix "system-" .Values.priorityClassName }}true{{ end }}
{{- end }}

{{/* The Service that stands for a server outside the cluster needs an EndpointSlice for an IP address. */}}
{{- define "maintenance-apiserver.externalIP" -}}
{{- if regexMatch "^([0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$" .Values.service.externalAddress }}true{{ end }}
{{- end }}

{{- define "maintenance-apiserver.auditPolicy" -}}
{{- default (.Files.Get "files/audit-policy.yaml") .Values.audit.policy | trim }}
{{- end }}

{{/* The store of the release that is installed, by the flags of its server, or nothing. */}}
{{- define "maintenance-apiserver.installedStore" -}}
{{- $deployment := lookup "apps/v1" "Deployment" .Release.Namespace (include "maintenance-apiserver.fullname" .) }}
{{- range dig "spec" "template" "spec" "containers" list $deployment }}
{{- $args := default list .args | join "\n" }}
{{- if contains "--store=cluster" $args }}cluster
{{- else if contains "--etcd-servers=" $args }}etcd
{{- else if contains "--data-dir=" $args }}embedded
{{- end }}
{{- end }}
{{- end }}
