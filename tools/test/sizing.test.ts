import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../repository.ts';
import { figures, sources } from '../sizing/figures.ts';
import { sizing } from '../sizing/main.ts';
import { sizeFor, usualDemand } from '../sizing/size.ts';
import { sizingTable } from '../sizing/table.ts';

const textOf = (file: string) => readFileSync(join(repository, file), 'utf8');

describe('the size of an installation', () => {
  it('is reckoned with figures that stand where they were measured', () => {
    for (const [name, { value, file, says }] of Object.entries(sources)) {
      expect(textOf(file), `${name} in ${file}`).to.contain(says);
      expect(says.replace(/[ ,]/g, ''), name).to.contain(String(value).replace(/\.0$/, ''));
    }
  });

  it('is what was measured: a busy core of a relay, one of billing, and a relay of 9 750 open streams', () => {
    const whole = { ...usualDemand, utilisation: 1 };
    expect(textOf('bench/RESULTS.md')).to.contain('8 633 / 7 676').and.to.contain('30 476/s').and.to.contain('the whole relay 569 MB');
    expect(sizeFor({ ...whole, calls: 7676 }, figures).relayCores).to.be.closeTo(1, 0.05);
    expect(sizeFor({ ...whole, calls: 30_476 }, figures).billingCores).to.be.closeTo(1, 0.05);
    const { relayMemoryMb, relayPods } = sizeFor({ ...whole, calls: 0, streams: 9750, framesPerSecond: 0 }, figures);
    const ofOneRelay = relayMemoryMb * relayPods - figures.relayIdleMb * (relayPods - 1);
    expect(ofOneRelay).to.be.within(569, 569 * 1.25); // too much rather than too little
  });

  it('stands in deploy/SIZING.md for four installations', () => {
    expect(textOf('deploy/SIZING.md')).to.contain(sizingTable());
  });

  it('grows with what is asked, and each part of it is there when there is hardly anything', () => {
    const little = sizeFor({ ...usualDemand, calls: 1 }, figures);
    expect(little).to.include({ relayPods: 2, billingPods: 2, cells: 1, partitions: 8, databaseShards: 1 });
    const much = sizeFor({ ...usualDemand, calls: 100_000 }, figures);
    expect(much.cells).to.be.at.least(10);
    expect(much.partitions * much.cells).to.be.at.least(much.billingPods);
  });

  it('is asked for by a command that refuses what is no number', () => {
    const ask = (...args: string[]) => {
      const lines: string[] = [];
      const code = sizing(args, (line) => lines.push(line));
      return { code, words: lines.join('\n') };
    };
    const { code, words } = ask('--calls', '10000', '--streams', '20000');
    expect(code).to.equal(0);
    for (const part of ['relay', 'Redis', 'bus', 'billing', 'database']) expect(words).to.match(new RegExp(`^${part} `, 'm'));
    for (const wrong of [[], ['--calls', 'many'], ['--calls', '-1'], ['--calls', '10', '--utilisation', '2'], ['--colls', '10']])
      expect(ask(...wrong)).to.deep.include({ code: 1 });
  });
});
