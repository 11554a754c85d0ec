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

{{/* Variables of policies on what has metadata.managedFields, which a request can bring along. The API server puts what the
server changes into the entry of a manager named after its program, and takes it out of others. It leaves out fields that the
object has not, and once there are more than 10 entries of updates, it merges the oldest. An entry of others that grew would
have their next apply, or their tool's change to server-side apply, remove a field that they never set. */}}
{{- define "maintenance-apiserver.managerVariables" -}}
- {name: isManagers, expression: "variables.isMetadata.?managedFields.orValue([])"}
- {name: wasManagers, expression: "request.operation == 'CREATE' ? dyn([]) : variables.wasMetadata.?managedFields.orValue([])"}
- name: permittedManagers
  expression: >-
    variables.wasManagers.filter(m, m.?operation.orValue('') == 'Update').size() < 10 ? ['maintenance-apiserver'] : ['maintenance-apiserver', 'ancient-changes']
- name: wrongManagers # those of others that are new, or have more fields than before
  expression: >-
    variables.isManagers.filter(m, !(m in variables.wasManagers) &&
    !(m.?operation.orValue('') == 'Update' && m.?manager.orValue('') in variables.permittedManagers) && !variables.wasManagers.exists(w,
    w.?manager == m.?manager && w.?operation == m.?operation && w.?subresource == m.?subresource && m.fieldsV1.all(a,
    a in w.fieldsV1 && m.fieldsV1[a].all(b, b in w.fieldsV1[a] && m.fieldsV1[a][b].all(c,
    c in w.fieldsV1[a][b] && m.fieldsV1[a][b][c].all(d, d in w.fieldsV1[a][b][c] && m.fieldsV1[a][b][c][d] == w.fieldsV1[a][b][c][d]))))))
{{- end }}

{{/* The validation of these variables. */}}
{{- define "maintenance-apiserver.managerValidation" -}}
- expression: variables.wrongManagers.size() == 0
  reason: Forbidden
  messageExpression: >-
    'in metadata.managedFields, only maintenance-apiserver may have more fields than before, and not ' + variables.wrongManagers.map(m, m.?manager.orValue('')).join(', ') + ': the program of the server has to have the name maintenance-apiserver'
{{- end }}

{{/* Whether a request to delete removes the object at once. Otherwise, a finalizer keeps it for the garbage collector, which
takes others with it, or leaves behind what the object owns. */}}
{{- define "maintenance-apiserver.deletesAtOnce" -}}
dyn(request.options).?propagationPolicy.orValue('Background') == 'Background' && !dyn(request.options).?orphanDependents.orValue(false)
{{- end }}

{{/* How many bytes the entries of a map have. Call it with its expression. */}}
{{- define "maintenance-apiserver.bytes" -}}
{{ . }}.map(k, bytes(k).size() + bytes({{ . }}[k]).size()).sum()
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
