{{/* Nine tenths of a memory limit such as 1Gi, 1.5G or 800M, for GOMEMLIMIT. */}}
{{- define "maintenance-apiserver.goMemoryLimit" -}}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $limit := toString . }}
{{- if kindIs "float64" . }}
{{- $limit = printf "%.0f" . }}
{{- end }}
{{- if not (regexMatch "^[0-9]+(\\.[0-9]+)?([kMGT]|[KMGT]i)?$" $limit) }}
{{- fail (printf "resources.limits.memory is %q: write it as a number of bytes with a unit, as in 1Gi or 800M." $limit) }}
{{- end }}
{{- $number := regexFind "^[0-9.]+" $limit }}
{{- $bytes := mulf (float64 $number) (float64 (get $units (trimPrefix $number $limit))) }}
{{- printf "%dMiB" (divf (mulf $bytes 0.9) 1048576 | floor | int64) }}
{{- end }}
