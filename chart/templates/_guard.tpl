{{/*
The server's guard: policies that hold the requests of its ServiceAccount to what it writes, where permissions cannot.
Whoever has its token can then do what the server does, and no more. See docs/decisions/0034-server-guard.md.
*/}}

{{/* The beginning of a policy and its binding. Call it with a list: the root, and the policy's name. */}}
{{- define "maintenance-apiserver.guard" -}}
{{- $root := first . }}
{{- $name := printf "%s-guard-%s" (include "maintenance-apiserver.fullname" $root) (last .) -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ $name }}
  labels:
    {{- include "maintenance-apiserver.labels" $root | nindent 4 }}
spec:
  policyName: {{ $name }}
  validationActions: [Deny]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}
  labels:
    {{- include "maintenance-apiserver.labels" $root | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConditions:
  - name: maintenance-apiserver
    expression: request.userInfo.username == {{ include "maintenance-apiserver.username" $root | squote }}
{{- end }}

{{- define "maintenance-apiserver.username" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "maintenance-apiserver.serviceAccountName" . }}
{{- end }}

{{/* The keys in which two maps differ. Call it with a list of their expressions. */}}
{{- define "maintenance-apiserver.changed" -}}
{{- $is := first . }}{{ $was := last . -}}
{{ $is }}.filter(k, !(k in {{ $was }}) || {{ $is }}[k] != {{ $was }}[k]) + {{ $was }}.filter(k, !(k in {{ $is }}))
{{- end }}

{{/* Variables of policies on changes. The types of the objects are unknown to CEL (dyn), so that fields can be listed. */}}
{{- define "maintenance-apiserver.guardVariables" -}}
- {name: is, expression: dyn(object)}
- {name: was, expression: dyn(oldObject)}
- name: fields # that are changed
  expression: {{ include "maintenance-apiserver.changed" (list "variables.is" "variables.was") | quote }}
- {name: isMetadata, expression: variables.is.metadata}
- {name: wasMetadata, expression: variables.was.metadata}
- name: metadata # fields that are changed, but for those of the API server
  expression: >-
    ({{ include "maintenance-apiserver.changed" (list "variables.isMetadata" "variables.wasMetadata") }})
    .filter(k, !(k in ['managedFields', 'resourceVersion', 'generation']))
{{- end }}

{{/* Variables of policies that permit annotations. */}}
{{- define "maintenance-apiserver.annotationVariables" -}}
- {name: isAnnotations, expression: "variables.isMetadata.?annotations.orValue({})"}
- {name: wasAnnotations, expression: "variables.wasMetadata.?annotations.orValue({})"}
- name: annotations # that are changed
  expression: {{ include "maintenance-apiserver.changed" (list "variables.isAnnotations" "variables.wasAnnotations") | quote }}
{{- end }}

{{/* Variables of policies that permit fields of the spec. */}}
{{- define "maintenance-apiserver.specVariables" -}}
- {name: isSpec, expression: "variables.is.?spec.orValue({})"}
- {name: wasSpec, expression: "variables.was.?spec.orValue({})"}
- name: spec # fields that are changed
  expression: {{ include "maintenance-apiserver.changed" (list "variables.isSpec" "variables.wasSpec") | quote }}
{{- end }}

{{/* Whether k is one of some keys, or of profiles.nodeKeys. Call it with a list: the root, and the list of keys. */}}
{{- define "maintenance-apiserver.nodeKey" -}}
k in {{ last . | toJson }}
{{- range (first .).Values.profiles.nodeKeys }}
{{- if hasSuffix "/*" . }} || k.startsWith({{ trimSuffix "*" . | toJson }})
{{- else }} || k == {{ . | toJson }}
{{- end }}
{{- end }}
{{- end }}

{{/* The taints that the server may set and remove, as key:effect, in JSON: its own, those of the operators before it, and
what drainTaints adds. */}}
{{- define "maintenance-apiserver.guardedTaints" -}}
{{- $taints := list "medik8s.io/drain:NoSchedule" "maintenance.medik8s.io/planned:PreferNoSchedule" "kubevirt.io/drain:NoSchedule" "node.kubernetes.io/unschedulable:NoSchedule" }}
{{- range concat .Values.drainTaints .Values.formerDrainTaints }}
{{- $taints = append $taints (regexReplaceAll "=[^:]*" . "") }}
{{- end }}
{{- $taints | uniq | toJson }}
{{- end }}
