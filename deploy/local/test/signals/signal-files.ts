import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type MetricUse, metricsIn } from './promql.ts';

export const observability = join(import.meta.dirname, '../../../observability');

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
export interface Recording {
  record: string;
  expr: string;
}
export interface Dashboard {
  file: string;
  uid: string;
  title: string;
  panels: { title: string; type: string; targets?: { expr: string; datasource: { uid: string } }[] }[];
}

interface RuleFile {
  groups: { name: string; rules: (Alert | Recording)[] }[];
}

/** What deploy/observability tells Prometheus and Grafana. */
export interface Signals {
  ruleFiles: string[];
  groups: string[];
  alerts: Alert[];
  recordings: Recording[];
  dashboards: Dashboard[];
  /** Every metric that something there names, with the labels it is asked by. */
  uses: (MetricUse & { where: string })[];
}

export async function readSignals(): Promise<Signals> {
  const ruleFiles = (await readdir(join(observability, 'rules'))).map((file) => join(observability, 'rules', file));
  const texts = await Promise.all(ruleFiles.map((file) => readFile(file, 'utf8')));
  const groups = texts.flatMap((text) => (parse(text) as RuleFile).groups);
  const rules = groups.flatMap((group) => group.rules);
  const alerts = rules.filter((rule) => 'alert' in rule);
  const recordings = rules.filter((rule) => 'record' in rule);
  const folder = join(observability, 'grafana/dashboards');
  const dashboards = await Promise.all(
    (await readdir(folder)).map(async (file) => ({ ...(JSON.parse(await readFile(join(folder, file), 'utf8')) as Dashboard), file })),
  );
  const asked = [
    ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
    ...recordings.map(({ record, expr }) => ({ where: record, expr })),
    ...dashboards.flatMap(({ file, panels }) =>
      panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr }))),
    ),
  ];
  const uses = asked.flatMap(({ where, expr }) => metricsIn(expr).map((use) => ({ where, ...use })));
  return { ruleFiles, groups: groups.map(({ name }) => name), alerts, recordings, dashboards, uses };
}
