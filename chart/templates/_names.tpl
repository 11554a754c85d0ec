{{- define "maintenance-apiserver.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of the Deployment, the Service and most others. The longest, of the job NAME-uninstall, may have 63. */}}
{{- define "maintenance-apiserver.fullname" -}}
{{- $name := include "maintenance-apiserver.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "maintenance-apiserver.serviceAccountName" -}}
{{- default (include "maintenance-apiserver.fullname" .) .Values.serviceAccount.name }}
{{- end }}

{{/* The ServiceAccount, as the subject of a binding. */}}
{{- define "maintenance-apiserver.subject" -}}
- kind: ServiceAccount
  name: {{ include "maintenance-apiserver.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* The DNS name of the Service, for which the serving certificate is. */}}
{{- define "maintenance-apiserver.dnsName" -}}
{{ include "maintenance-apiserver.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "maintenance-apiserver.labels" -}}
{{ include "maintenance-apiserver.ownLabels" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The labels that the chart sets itself. */}}
{{- define "maintenance-apiserver.ownLabels" -}}
{{ include "maintenance-apiserver.identity" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "maintenance-apiserver.identity" -}}
app.kubernetes.io/name: {{ include "maintenance-apiserver.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The labels of the server's pods, but of no others. */}}
{{- define "maintenance-apiserver.selector" -}}
{{ include "maintenance-apiserver.identity" . }}
app.kubernetes.io/component: server
{{- end }}

{{- define "maintenance-apiserver.image" -}}
{{- $image := .Values.image }}
{{- $image.repository }}
{{- if or $image.tag (not $image.digest) }}:{{ default .Chart.AppVersion $image.tag }}{{ end }}
{{- with $image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* The labels of the ClusterRoles of viewers. */}}
{{- define "maintenance-apiserver.viewerLabels" -}}
{{ include "maintenance-apiserver.labels" . }}
{{- if .Values.rbac.aggregateToView }}
rbac.authorization.k8s.io/aggregate-to-view: "true"
{{- end }}
{{- end }}
