/** One line of what a Prometheus door shows. */
export interface Sample {
  metric: string;
  labels: Record<string, string>;
  value: number;
}

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function samplesIn(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, metric, inside = '', value] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (metric === undefined) continue;
    const labels = Object.fromEntries([...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', text = '']) => [name, text]));
    samples.push({ metric, labels, value: Number(value) });
  }
  return samples;
}

const partsOf: Record<string, string[]> = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };

/** The metrics that a door announces, also those without a sample so far. */
export function announcedIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const part of partsOf[type ?? ''] ?? ['']) names.add(name + part);
  }
  return names;
}
