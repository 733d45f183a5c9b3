import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { processesFor } from '../supervisor/settings.ts';
import { type Command, type Installation, installation } from './tollgate.ts';

describe('several relays and billings', function () {
  this.timeout(120_000);
  let here: Installation;
  let running: Command;

  before(async () => {
    here = await installation();
    running = await here.start({ RELAY_PROCESSES: '2', BILLING_PROCESSES: '2' });
  });
  after(() => here.remove());

  async function statusOfCall(): Promise<number> {
    return (await fetch(`${here.state().address}/v1/models`, { headers: { authorization: 'Bearer sk-unknown' } })).status;
  }

  it('are as many as the cores call for, unless the settings say', () => {
    const counts = [1, 2, 4, 8, 64].map((cores) => Object.values(processesFor(cores)).join(' + '));
    expect(counts).to.deep.equal(['1 + 1', '1 + 1', '3 + 1', '7 + 2', '8 + 2']);
  });

  it('run side by side, each with its own address', () => {
    const addresses = here.state().processes.map(({ address }) => address);
    expect(here.state().processes.map(({ name }) => name)).to.include.members(['relay-1', 'relay-2', 'billing-1', 'billing-2']);
    expect(new Set(addresses).size).to.equal(addresses.length);
  });

  it('go on answering while one of them is started again', async () => {
    process.kill(here.pidOf('relay-1'), 'SIGKILL');
    await eventually(async () => {
      for (let call = 0; call < 6; call += 1) expect(await statusOfCall()).to.equal(401);
    });
    await eventually(() => expect(running.output()).to.match(/^relay-1 works again/m), { timeoutMs: 20_000 });
    expect(await statusOfCall()).to.equal(401);
  });
});
