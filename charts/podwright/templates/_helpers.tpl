{{- define "podwright.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "podwright" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-podwright" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "podwright.installation" -}}
{{- .Values.installation | default .Release.Name -}}
{{- end -}}

{{/* Labels that select the pods of one part. Call with (list $ "gateway"). Never labels of podwright.dev: those are for browser pods. */}}
{{- define "podwright.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: podwright
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "podwright.labels" -}}
{{- $root := index . 0 -}}
{{ include "podwright.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "podwright.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "podwright.browserImage" -}}
{{ .Values.browserImage.repository }}:{{ .Values.browserImage.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* Images of browser pods, as JSON: our own, whatever their tag, and what values add. */}}
{{- define "podwright.allowedImages" -}}
{{- concat (list .Values.browserImage.repository .Values.image.repository) .Values.browsers.allowedImages | uniq | toJson -}}
{{- end -}}

{{- define "podwright.publicUrl" -}}
{{- .Values.gateway.publicUrl | default (printf "http://%s-gateway.%s.svc:%v" (include "podwright.fullname" .) .Release.Namespace .Values.gateway.service.port) -}}
{{- end -}}

{{/* Pod-level security of every part: Pod Security `restricted`. */}}
{{- define "podwright.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10000
runAsGroup: 10000
fsGroup: 10000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "podwright.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Probes of the parts that answer on the metrics port. The API server's or Redis's troubles restart nothing. */}}
{{- define "podwright.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: {{ . }}}
  periodSeconds: 1
  timeoutSeconds: 3
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: {{ . }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: {{ . }}}
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 3
{{- end -}}

{{/* Environment that every part takes. */}}
{{- define "podwright.commonEnv" -}}
- {name: PODWRIGHT_INSTALLATION, value: {{ include "podwright.installation" . | quote }}}
- {name: PODWRIGHT_PREFIX, value: {{ include "podwright.fullname" . | quote }}}
- name: PODWRIGHT_NAMESPACE
  valueFrom:
    fieldRef: {fieldPath: metadata.namespace}
- name: PODWRIGHT_POD_NAME
  valueFrom:
    fieldRef: {fieldPath: metadata.name}
- {name: PODWRIGHT_LOG_LEVEL, value: {{ .Values.logLevel | quote }}}
{{- end -}}

{{- define "podwright.redisSecret" -}}
{{- if .Values.redis.embedded.enabled -}}
{{ include "podwright.fullname" . }}-redis
{{- else if .Values.redis.external.existingSecret -}}
{{ .Values.redis.external.existingSecret }}
{{- end -}}
{{- end -}}

{{- define "podwright.redisEnv" -}}
{{- if .Values.redis.embedded.enabled }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef: {name: {{ include "podwright.redisSecret" . }}, key: password}
- {name: PODWRIGHT_REDIS_URL, value: "redis://default:$(REDIS_PASSWORD)@{{ include "podwright.fullname" . }}-redis:6379"}
{{- else if .Values.redis.external.existingSecret }}
- name: PODWRIGHT_REDIS_URL
  valueFrom:
    secretKeyRef: {name: {{ .Values.redis.external.existingSecret }}, key: {{ .Values.redis.external.existingSecretKey }}}
{{- else }}
- {name: PODWRIGHT_REDIS_URL, value: {{ required "redis.external.url or redis.external.existingSecret must be set when redis.embedded.enabled is false" .Values.redis.external.url | quote }}}
{{- end }}
{{- end -}}

{{/* The ServiceAccount token with which parts authenticate to each other. */}}
{{- define "podwright.internalTokenVolume" -}}
- name: internal-token
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: {path: token, audience: podwright-internal, expirationSeconds: 3600}
{{- end -}}

{{- define "podwright.internalTokenMount" -}}
- {name: internal-token, mountPath: /var/run/secrets/podwright, readOnly: true}
{{- end -}}

{{/* Private key of one issuer of pod tokens, and which key may sign. Call with (list $ "gateway"). */}}
{{- define "podwright.tokenKeyVolume" -}}
- name: token-key
  secret: {secretName: {{ include "podwright.fullname" (index . 0) }}-token-key-{{ index . 1 }}, defaultMode: 0440}
- name: token-keys
  configMap: {name: {{ include "podwright.fullname" (index . 0) }}-token-keys}
{{- end -}}

{{- define "podwright.tokenKeyMount" -}}
- {name: token-key, mountPath: /etc/podwright/token-key, readOnly: true}
- {name: token-keys, mountPath: /etc/podwright/token-keys, readOnly: true}
{{- end -}}

{{- define "podwright.scrapeAnnotations" -}}
{{- $root := index . 0 -}}
{{- if $root.Values.monitoring.annotations }}
prometheus.io/scrape: "true"
prometheus.io/port: {{ index . 1 | quote }}
prometheus.io/path: /metrics
{{- end }}
{{- end -}}

{{/* Placement and pull settings common to the pods of all parts. Call with (list $ "gateway" .Values.gateway). */}}
{{- define "podwright.placement" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
{{- if $root.Values.priorityClass.create }}
priorityClassName: {{ include "podwright.fullname" $root }}
{{- end }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "podwright.selector" (list $root (index . 1)) | nindent 8 }}
{{- end -}}

{{/* The models file: what values name, or the bundled demo model. */}}
{{- define "podwright.models" -}}
{{- $entries := list -}}
{{- range $index, $entry := .Values.models.entries -}}
{{- $public := omit $entry "secretRef" -}}
{{- if $entry.secretRef -}}
{{- $public = set (deepCopy $public) "apiKeyEnv" (printf "MODEL_KEY_%d" $index) -}}
{{- end -}}
{{- $entries = append $entries $public -}}
{{- end -}}
{{- $aliases := .Values.models.aliases -}}
{{- if not $entries -}}
{{- $url := printf "http://demo-model.podwright-demo.svc.cluster.local/v1" -}}
{{- $price := dict "input" "0" "cachedInput" "0" "output" "0" -}}
{{- $entries = list (dict "name" "demo" "provider" "openai-compatible" "model" "podwright-demo" "baseUrl" $url "demo" true "contextLimit" 128000 "price" $price) -}}
{{- end -}}
{{- $default := .Values.models.default | default (index $entries 0).name -}}
{{- range list "bu-mini" "bu-max" "bu-ultra" -}}
{{- if not (hasKey $aliases .) -}}
{{- $aliases = set (deepCopy $aliases) . $default -}}
{{- end -}}
{{- end -}}
{{- dict "default" $default "aliases" $aliases "models" $entries | toPrettyJson -}}
{{- end -}}
