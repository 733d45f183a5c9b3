import { isoTime } from '@tollgate/contracts/calendar';
import { expect } from 'chai';
import { csvOf } from '../src/shared/csv.ts';
import { viewerZone } from '../src/shared/format.ts';
import type { CellValue, Column } from '../src/shared/ui/column.ts';

const column: Column<{ value: CellValue }> = { id: 'value', header: 'Value', value: (row) => row.value, cell: () => null };
const fieldOf = (value: CellValue): string | undefined => csvOf([column], [{ value }]).split('\r\n')[1];

describe('Rows as comma-separated values', () => {
  it('quotes what holds a comma, a quote or a line break', () => {
    expect(['a,b', 'say "hi"', 'plain'].map(fieldOf)).to.deep.equal(['"a,b"', '"say ""hi"""', 'plain']);
    expect(csvOf([column], [{ value: 'two\nlines' }])).to.equal('Value\r\n"two\nlines"\r\n');
  });
  it('has amounts in dollars beside raw quota, and times with the offset of their zone', () => {
    interface Row {
      quota: number | '';
      at: number;
    }
    const plain = { cell: () => null, value: () => '' };
    const columns: Column<Row>[] = [
      { ...plain, id: 'cost', header: 'Cost', exported: { as: 'quota', of: ({ quota }) => quota } },
      { ...plain, id: 'time', header: 'Time', exported: { as: 'time', of: ({ at }) => at } },
    ];
    const rows = [
      { quota: 271, at: 1_760_000_000 },
      { quota: '' as const, at: 1_760_000_000 },
    ];
    const lines = csvOf(columns, rows, { quotaPerUnit: 500_000, asCurrency: true }).split('\r\n');
    const time = isoTime(1_760_000_000, viewerZone);
    expect(lines.slice(1, 3)).to.deep.equal([`0.000542,271,${time}`, `,,${time}`]);
    expect(csvOf(columns, rows).split('\r\n')[1]).to.equal(`271,${time}`);
  });
  it('leaves numbers as they are, and nothing as nothing', () => {
    expect([-5, 0, null, undefined, false].map(fieldOf)).to.deep.equal(['-5', '0', '', '', 'false']);
  });
  it('holds nothing that a spreadsheet would run', () => {
    expect(['=1+1', '+1', '-1', '@a', '\t=1'].map(fieldOf)).to.deep.equal(["'=1+1", "'+1", "'-1", "'@a", "'\t=1"]);
  });
});
