import { expect } from 'chai';
import { csvOf } from '../src/shared/csv.ts';
import type { CellValue, Column } from '../src/shared/ui/column.ts';

const column: Column<{ value: CellValue }> = { id: 'value', header: 'Value', value: (row) => row.value, cell: () => null };
const fieldOf = (value: CellValue): string | undefined => csvOf([column], [{ value }]).split('\r\n')[1];

describe('Rows as comma-separated values', () => {
  it('quotes what holds a comma, a quote or a line break', () => {
    expect(['a,b', 'say "hi"', 'plain'].map(fieldOf)).to.deep.equal(['"a,b"', '"say ""hi"""', 'plain']);
    expect(csvOf([column], [{ value: 'two\nlines' }])).to.equal('Value\r\n"two\nlines"\r\n');
  });
  it('leaves numbers as they are, and nothing as nothing', () => {
    expect([-5, 0, null, undefined, false].map(fieldOf)).to.deep.equal(['-5', '0', '', '', 'false']);
  });
  it('holds nothing that a spreadsheet would run', () => {
    expect(['=1+1', '+1', '-1', '@a', '\t=1'].map(fieldOf)).to.deep.equal(["'=1+1", "'+1", "'-1", "'@a", "'\t=1"]);
  });
});
