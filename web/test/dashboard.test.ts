import type { UsageDataRow } from '@tollgate/contracts/api/usage-data';
import { expect } from 'chai';
import { axisOf, zoneText } from '../src/features/dashboard/range.ts';
import { usageOf } from '../src/features/dashboard/series.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const hour = 3600;

describe('The time axis of the dashboard', () => {
  it("has the days of the viewer's zone, 23 or 25 hours long where clocks change", () => {
    for (const [zone, from, lengths] of [
      ['Pacific/Auckland', '2026-09-26T00:00:00+12:00', [24, 23, 24]],
      ['Pacific/Auckland', '2026-04-04T00:00:00+13:00', [24, 25, 24]],
      ['America/New_York', '2026-03-07T00:00:00-05:00', [24, 23, 24]],
      ['America/New_York', '2026-10-31T00:00:00-04:00', [24, 25, 24]],
      ['UTC', '2026-03-07T00:00:00Z', [24, 24, 24]],
      ['Asia/Kolkata', '2026-03-07T00:00:00+05:30', [24, 24, 24]],
    ] as const) {
      const { begins, labels } = axisOf({ start: at(from) + hour, end: at(from) + 95 * hour }, 'day', zone);
      expect(begins[0], zone).to.equal(at(from));
      expect(
        lengths.map((_, day) => ((begins[day + 1] ?? 0) - (begins[day] ?? 0)) / hour),
        zone,
      ).to.deep.equal(lengths);
      expect(labels[0], zone).to.equal(from.slice(5, 10));
    }
  });

  it('begins weeks on Monday of the zone, and labels them by both ends', () => {
    const { begins, labels } = axisOf({ start: at('2026-09-26T12:00:00Z'), end: at('2026-09-28T00:00:00Z') }, 'week', 'Pacific/Auckland');
    expect(begins).to.deep.equal([at('2026-09-21T00:00:00+12:00'), at('2026-09-28T00:00:00+13:00')]);
    expect(labels).to.deep.equal(['09-21 – 09-27', '09-28 – 10-04']);
  });

  it('gives the hour that comes twice two labels', () => {
    const { labels } = axisOf({ start: at('2026-11-01T05:00:00Z'), end: at('2026-11-01T08:00:00Z') }, 'hour', 'America/New_York');
    expect(labels).to.deep.equal(['11-01 01:00', '11-01 01:00 (UTC-05:00)', '11-01 02:00']);
    expect(zoneText('America/New_York', at('2026-11-01T08:00:00Z'))).to.equal('America/New_York (UTC-05:00)');
    expect(zoneText('UTC', 0)).to.equal('UTC');
  });

  it('holds every row of the answer, at the step that it begins', () => {
    const { begins } = axisOf({ start: at('2026-09-26T12:00:00Z'), end: at('2026-09-29T00:00:00Z') }, 'day', 'Pacific/Auckland');
    const rows = begins.map((created_at) => ({ key: 'a', label: 'a', created_at, quota: 1 }) as UsageDataRow);
    const { series, total } = usageOf(rows, 'quota', begins, 'Others');
    expect([series[0]?.values, total]).to.deep.equal([[1, 1, 1], 3]);
  });
});
