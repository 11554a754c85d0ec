{{/* The server's flags. */}}
{{- define "maintenance-apiserver.args" -}}
{{- $v := .Values }}
- --service={{ .Release.Namespace }}/{{ include "maintenance-apiserver.fullname" . }}
- --secure-port={{ $v.securePort }}
{{- if gt (int $v.replicaCount) 1 }}
- --shutdown-delay-duration={{ $v.shutdownDelaySeconds }}s
- --shutdown-request-grace-period={{ $v.shutdownGraceSeconds }}s
- --disable-http2-serving
{{- end }}
{{- include "maintenance-apiserver.storeArgs" . }}
{{- if ne $v.tls.type "server" }}
- --tls-cert-file=/etc/maintenance-apiserver/tls/tls.crt
- --tls-private-key-file=/etc/maintenance-apiserver/tls/tls.key
{{- end }}
{{- if $v.audit.enabled }}
- --audit-policy-file=/etc/maintenance-apiserver/audit/policy.yaml
- --audit-log-path=- # into the server's own log
{{- end }}
{{- with $v.legacyGroups }}
- --serve-legacy-groups={{ join "," . }}
{{- end }}
{{- if ne (include "maintenance-apiserver.nodeLeaseForm" .) "Off" }}
- --node-leases={{ include "maintenance-apiserver.nodeLeaseForm" . }}
- --node-lease-namespace={{ include "maintenance-apiserver.nodeLeaseNamespace" . }}
{{- else if $v.legacyGroups }}
- --node-leases=Off
{{- end }}
- --allow-force={{ $v.rbac.allowForce }}
{{- with $v.drainTaints }}
- --drain-taints={{ join "," . }}
{{- end }}
- {{ printf "--node-keys=%s" (join "," $v.profiles.nodeKeys) | quote }}
{{- with $v.prometheus.url }}
- --prometheus-url={{ . }}
{{- end }}
{{- if $v.prometheus.caSecret }}
- --prometheus-ca-file=/etc/maintenance-apiserver/prometheus-ca/ca.crt
{{- end }}
{{- if $v.prometheus.tokenSecret }}
- --prometheus-token-file=/etc/maintenance-apiserver/prometheus-token/token
{{- end }}
- --crash-record=/run/maintenance-apiserver/crash-record
{{- with $v.profiles.secretNamespace }}
- --secret-namespace={{ . }}
{{- end }}
{{- if $v.sap.mirrors }}
- --sap-mirrors
- --sap-namespace={{ $v.sap.namespace }}
{{- end }}
{{- if $v.sap.info }}
- --sap-info
{{- with $v.sap.infoLabels }}
- --sap-info-labels={{ join "," . }}
{{- end }}
{{- end }}
{{- include "maintenance-apiserver.integrationArgs" . }}
{{- include "maintenance-apiserver.cloudEventArgs" . }}
{{- with $v.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "maintenance-apiserver.integrationArgs" }}
{{- with .Values.integrations.vsphere }}
{{- if .enabled }}
- --integration=vsphere
- --vsphere-url={{ .url }}
- --vsphere-credentials-dir=/etc/maintenance-apiserver/vsphere
{{- if .caSecret }}
- --vsphere-ca-file=/etc/maintenance-apiserver/vsphere-ca/ca.crt
{{- end }}
{{- range .alarms }}
- {{ printf "--vsphere-alarm=%s" . | quote }}
{{- end }}
- --vsphere-interval={{ .interval }}
- --vsphere-shutdown-timeout={{ .shutdownTimeout }}
{{- end }}
{{- end }}
{{- with .Values.integrations.kubernikus }}
{{- if .enabled }}
- --integration=kubernikus
- --kubernikus-cloud-config=/etc/maintenance-apiserver/kubernikus/cloudprovider.conf
{{- if .caSecret }}
- --kubernikus-ca-file=/etc/maintenance-apiserver/kubernikus-ca/ca.crt
{{- end }}
- --kubernikus-interval={{ .interval }}
{{- end }}
{{- end }}
{{- end }}

{{- define "maintenance-apiserver.cloudEventArgs" }}
{{- with .Values.cloudEvents }}
{{- if .source }}
- --cloud-events={{ .source }}
- --cloud-events-interval={{ .interval }}
{{- if .endpoint }}
- --cloud-events-endpoint={{ .endpoint }}
{{- end }}
{{- end }}
- --machine-api={{ ternary "auto" "none" .machineAPI }}
{{- end }}
{{- end }}

{{- define "maintenance-apiserver.storeArgs" }}
{{- $store := .Values.store }}
{{- if eq $store.type "cluster" }}
- --store=cluster
{{- with $store.cluster.quotaBytes }}
- --cluster-store-quota-bytes={{ int64 . }}
{{- end }}
{{- else if eq $store.type "etcd" }}
- --etcd-servers={{ join "," $store.etcd.servers }}
{{- with $store.etcd.prefix }}
- --etcd-prefix={{ . }}
{{- end }}
{{- if $store.etcd.existingSecret }}
- --etcd-cafile=/etc/maintenance-apiserver/etcd/ca.crt
- --etcd-certfile=/etc/maintenance-apiserver/etcd/tls.crt
- --etcd-keyfile=/etc/maintenance-apiserver/etcd/tls.key
{{- end }}
{{- else }}
- --data-dir=/var/lib/maintenance-apiserver
{{- with $store.embedded.quotaBytes }}
- --embedded-etcd-quota-bytes={{ int64 . }}
{{- end }}
{{- end }}
{{- end }}
