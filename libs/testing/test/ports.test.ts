import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { freePort, freePortsInARow } from '@tollgate/testing';
import { expect } from 'chai';

const ports = new URL('../src/ports.ts', import.meta.url).href;

/** Processes that draw so many ports each, all at once, and stay until everybody has told theirs. */
async function drawElsewhere(processes: number, count: number): Promise<number[]> {
  const program = `
    const { freePort } = await import(${JSON.stringify(ports)});
    const drawn = [];
    while (drawn.length < ${count}) drawn.push(await freePort());
    console.log(JSON.stringify(drawn));
    process.stdin.resume();
  `;
  const children = Array.from({ length: processes }, () => spawn(process.execPath, ['--input-type=module', '-e', program]));
  try {
    const told = await Promise.all(children.map(async ({ stdout }) => (await once(createInterface(stdout), 'line'))[0] as string));
    return told.flatMap((line) => JSON.parse(line) as number[]);
  } finally {
    for (const child of children) child.kill();
  }
}

describe('free ports', () => {
  it('are nobody else’s, in this process and in those beside it, also before they are listened on', async () => {
    const mine = await Promise.all(Array.from({ length: 50 }, freePort));
    const all = [...mine, ...(await drawElsewhere(3, 80))];
    expect(all.filter((port, at) => all.indexOf(port) !== at)).to.deep.equal([]);
  });

  it('are drawn again when they have come round, but for those that somebody listens on', async () => {
    const taken = await freePort();
    const server = createServer();
    await new Promise<void>((listening) => server.listen(taken, '127.0.0.1', listening));
    try {
      for (let draw = 0; draw < 250; draw++) expect(await freePort()).not.to.equal(taken);
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });

  it('stand in a row where they are asked for so', async () => {
    const [first, next] = [await freePortsInARow(20), await freePort()];
    expect(next).not.to.be.within(first, first + 19);
  });

  it('are no more in a row than a process has', async () => {
    const longer = await freePortsInARow(100).catch((error: Error) => error.message);
    expect(longer).to.match(/^no 100 free ports in a row/);
  });
});
