/** A metric that an expression names, and the labels by which it picks or groups. */
export interface MetricUse {
  metric: string;
  labels: string[];
}

const words = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'bool',
  'offset',
  'inf',
  'nan',
]);
const groupings = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

/** The metrics of an expression of PromQL, as far as our own rules and dashboards use the language: no parser, it reads names. */
export function metricsIn(expression: string): MetricUse[] {
  const bare = expression
    .replace(/#.*$/gm, '')
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[[^\]]*\]/g, '');
  const found: MetricUse[] = [];
  const grouped: string[] = [];
  const tokens: string[] = bare.match(/[A-Za-z_:][\w:]*|\d[\w.]*|\S/g) ?? [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string;
    if (!/^[A-Za-z_:]/.test(token)) continue;
    const next = tokens[at + 1];
    if (groupings.has(token) && next === '(') {
      const end = tokens.indexOf(')', at);
      grouped.push(...tokens.slice(at + 2, end).filter((each) => each !== ','));
      at = end;
    } else if (next === '{') {
      const end = tokens.indexOf('}', at);
      found.push({ metric: token, labels: tokens.slice(at + 2, end).filter((each) => /^[A-Za-z_]/.test(each)) });
      at = end;
    } else if (next !== '(' && !words.has(token.toLowerCase()) && !isAggregation(next, tokens[at + 2])) {
      found.push({ metric: token, labels: [] });
    }
  }
  return found.map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouped] }));
}

/** `sum by (le) (...)`: the name before a grouping is no metric. */
function isAggregation(next: string | undefined, afterNext: string | undefined): boolean {
  return (next === 'by' || next === 'without') && afterNext === '(';
}
