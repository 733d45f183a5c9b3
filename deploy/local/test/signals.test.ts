import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import { metricsIn } from './signals/promql.ts';
import { type Promtool, promtool } from './signals/promtool.ts';
import { observability, readSignals, type Signals } from './signals/signal-files.ts';

/** That the metrics exist is seen in faults.test.ts, where services run that show them. */
describe('rules and dashboards', () => {
  let signals: Signals;
  let readme: string;
  let scenes: string[];

  before(async () => {
    signals = await readSignals();
    readme = await readFile(join(observability, 'README.md'), 'utf8');
    const folder = join(observability, 'rule-tests');
    scenes = (await readdir(folder)).map((file) => join(folder, file));
  });

  it('are told apart by their names', () => {
    const { alerts, recordings, dashboards, groups } = signals;
    expect(alerts.length).to.be.greaterThan(20);
    for (const names of [
      alerts.map(({ alert }) => alert),
      recordings.map(({ record }) => record),
      dashboards.map(({ uid }) => uid),
      groups,
    ])
      expect(names).to.deep.equal([...new Set(names)]);
    for (const { uid, file } of dashboards) expect(file).to.equal(`${uid}.json`);
  });

  it('say of each alert how urgent it is, what has happened, and where to read on', () => {
    for (const { alert, labels, annotations } of signals.alerts) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.summary?.length, alert).to.be.greaterThan(20);
      expect(annotations.runbook, alert).to.equal(`deploy/observability/README.md#${alert.toLowerCase()}`);
    }
  });

  it('have a line of the runbook for each alert, and no line for one that is gone', () => {
    const lines = [...readme.matchAll(/^\| <a id="(\w+)"><\/a>(\w+) \| [^|]{15,} \| [^|]{8,} \|$/gm)];
    expect(lines.map(([, , alert]) => alert)).to.have.members(signals.alerts.map(({ alert }) => alert));
    for (const [, anchor, alert = ''] of lines) expect(anchor).to.equal(alert.toLowerCase());
  });

  it('have a scene for each alert in which it fires', async () => {
    const played = (await Promise.all(scenes.map((scene) => readFile(scene, 'utf8')))).join('');
    for (const { alert } of signals.alerts) expect(played).to.contain(`{alertname="${alert}"}`);
  });

  it('have a fault that happens and sets it off, for each alert', async () => {
    const tests = ['faults.test.ts', 'alerts.test.ts'].map((file) => readFile(join(import.meta.dirname, file), 'utf8'));
    const happened = (await Promise.all(tests)).join('');
    for (const { alert } of signals.alerts) expect(happened).to.contain(`'${alert}'`);
  });

  it('ask each recorded figure by the name under which it is recorded, and record none that nobody asks for', () => {
    const recorded = signals.recordings.map(({ record }) => record);
    const asked = new Set(signals.uses.map(({ metric }) => metric).filter((metric) => metric.includes(':')));
    expect([...asked]).to.have.members(recorded);
  });

  it('draw from the source that the viewer has chosen', () => {
    for (const { file, panels } of signals.dashboards) {
      for (const { title, type, targets = [] } of panels) {
        if (type !== 'row') expect(targets, `${file}: ${title}`).not.to.deep.equal([]);
        for (const { datasource } of targets) expect(datasource.uid, `${file}: ${title}`).to.equal('$' + '{datasource}');
      }
    }
  });

  it('are read for what they name, and nothing else', () => {
    const names = (expression: string) => metricsIn(expression).map(({ metric, labels }) => `${metric} ${labels}`);
    expect(names('histogram_quantile(0.9, sum by (le, model) (rate(a_bucket{x="b > c", y=~"1|2"}[5m])))')).to.deep.equal([
      'a_bucket x,y,le,model',
    ]);
    expect(names('max(a) / sum(rate(b[1m:15s])) > 4.2e8 unless c:d:e5m == 1')).to.deep.equal(['a ', 'b ', 'c:d:e5m ']);
    expect(names('sum(rate(a[1m])) by (x) or absent(up{job="relay"} == 1)')).to.deep.equal(['a x', 'up job,x']);
  });

  describe('as Prometheus itself sees them', function () {
    this.timeout(180_000);
    let check: Promtool;

    before(async function () {
      check = await orSkip(this, promtool);
    });

    it('are rules and scrapes without a fault', async () => {
      expect(await check('check', 'rules', '--lint=all', '--lint-fatal', ...signals.ruleFiles)).to.contain('SUCCESS');
      expect(await check('check', 'config', '--syntax-only', join(observability, 'prometheus.yml'))).to.contain('SUCCESS');
    });

    it('fire in each scene where they should, and in no other', async () => {
      expect(await check('test', 'rules', ...scenes)).to.contain('SUCCESS');
    });
  });
});
