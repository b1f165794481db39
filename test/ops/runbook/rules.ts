import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A rule of ops/alerts.yaml. */
export interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

/** All of them, in their order. */
export const readRules = (): Rule[] =>
  (parse(readFileSync('ops/alerts.yaml', 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    (group) => group.rules,
  );
