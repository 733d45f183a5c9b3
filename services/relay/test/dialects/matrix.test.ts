import { channelTypes } from '@tollgate/contracts';
import { providers } from '@tollgate/providers';
import { expect } from 'chai';
import { columns, matrix, printedTable, table } from './matrix.ts';

describe('every caller’s dialect, with every upstream that chats', () => {
  const rows = matrix();

  it('works in each cell, or refuses by name: nothing is lost in silence', () => {
    const lost = rows.flatMap(({ caller, upstream, cells }) =>
      cells.flatMap((cell, at) => (cell === 'LOST' || cell === 'refuses it' ? [`${caller} -> ${upstream.name}: ${columns[at]}`] : [])),
    );
    expect(lost).to.deep.equal([]);
  });

  it('leaves out nothing but the wish to think, which only tunes', () => {
    for (const { cells } of rows) {
      for (const [at, cell] of cells.entries()) if (cell === 'left out') expect(columns[at]).to.equal('reasoning');
    }
  });

  it('has a line for every type that chats', () => {
    const chatting = channelTypes.filter(({ type }) => providers.get(type)?.chat !== undefined).map(({ type }) => type);
    expect(new Set(rows.map(({ upstream }) => upstream.type))).to.deep.equal(new Set(chatting));
  });

  it('is printed in the providers’ README as it is', () => {
    expect(printedTable()).to.equal(table(rows));
  });
});
