{{/* What is mounted into the server's container: where, and from which source. */}}
{{- define "maintenance-apiserver.volumes" -}}
{{- $fullname := include "maintenance-apiserver.fullname" . }}
{{- if eq .Values.store.type "embedded" }}
- name: data
  mountPath: /var/lib/maintenance-apiserver
  source: {persistentVolumeClaim: {claimName: {{ $fullname }}}}
{{- end }}
- name: tmp
  mountPath: /tmp
  source: {emptyDir: {sizeLimit: 64Mi}} # hardly anything is written there
- name: crash-record
  mountPath: /run/maintenance-apiserver
  source: {emptyDir: {medium: Memory, sizeLimit: 1Mi}} # 16 KiB that outlive the container, but not the machine
{{- if .Values.audit.enabled }}
- name: audit
  mountPath: /etc/maintenance-apiserver/audit
  readOnly: true
  source: {configMap: {name: {{ $fullname }}-audit}}
{{- end }}
{{- if ne .Values.tls.type "server" }}
- name: tls
  mountPath: /etc/maintenance-apiserver/tls
  readOnly: true
  source: {secret: {secretName: {{ default (printf "%s-tls" $fullname) .Values.tls.existingSecret }}}}
{{- end }}
{{- if and (eq .Values.store.type "etcd") .Values.store.etcd.existingSecret }}
- name: etcd
  mountPath: /etc/maintenance-apiserver/etcd
  readOnly: true
  source: {secret: {secretName: {{ .Values.store.etcd.existingSecret }}}}
{{- end }}
{{- with .Values.prometheus.caSecret }}
- name: prometheus-ca
  mountPath: /etc/maintenance-apiserver/prometheus-ca
  readOnly: true
  source: {secret: {secretName: {{ . }}}}
{{- end }}
{{- with .Values.prometheus.tokenSecret }}
- name: prometheus-token
  mountPath: /etc/maintenance-apiserver/prometheus-token
  readOnly: true
  source: {secret: {secretName: {{ . }}}}
{{- end }}
{{- include "maintenance-apiserver.integrationVolumes" . }}
{{- end }}

{{- define "maintenance-apiserver.integrationVolumes" }}
{{- $vsphere := .Values.integrations.vsphere }}
{{- $kubernikus := .Values.integrations.kubernikus }}
{{- $secrets := dict }}
{{- if $vsphere.enabled }}
{{- $secrets = dict "vsphere" $vsphere.credentialsSecret "vsphere-ca" $vsphere.caSecret }}
{{- end }}
{{- if $kubernikus.enabled }}
{{- $secrets = merge $secrets (dict "kubernikus" $kubernikus.cloudConfigSecret "kubernikus-ca" $kubernikus.caSecret) }}
{{- end }}
{{- range $name, $secret := $secrets }}
{{- if $secret }}
- name: {{ $name }}
  mountPath: /etc/maintenance-apiserver/{{ $name }}
  readOnly: true
  source: {secret: {secretName: {{ $secret }}}}
{{- end }}
{{- end }}
{{- end }}
