{{- define "mintmark.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mintmark.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mintmark.labels" -}}
{{ include "mintmark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "mintmark.image" -}}
{{- with .Values.image -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}
{{- end }}

{{/* What each pod is allowed: nothing. */}}
{{- define "mintmark.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "mintmark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Variables of all processes. Call it with the chart's own context. */}}
{{- define "mintmark.environment" -}}
- name: REPLICA
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if .Values.webhookKeySecretName }}
- name: WEBHOOK_SECRET_KEY_FILE
  value: /etc/mintmark/webhook/webhook.key
{{- end }}
{{- end }}

{{- define "mintmark.mounts" -}}
{{- if .Values.webhookKeySecretName }}
- name: webhook
  mountPath: /etc/mintmark/webhook
  readOnly: true
{{- end }}
{{- end }}

{{- define "mintmark.volumes" -}}
{{- with .Values.webhookKeySecretName }}
- name: webhook
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{/* Where pods run: on different nodes, if there are any. Call it with a dictionary of root and component. */}}
{{- define "mintmark.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "mintmark.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
