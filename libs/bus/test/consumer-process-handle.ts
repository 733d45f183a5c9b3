import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';

/** A consumer in its own process, which a test may freeze and kill. */
export class ConsumerProcess {
  begun: { key: string; n: number }[] = [];
  done: { key: string; n: number }[] = [];
  uncaught: string[] = [];
  private readonly child: ChildProcess;

  constructor(url: string, topic: string, group: string, batchMs: number, instance?: string) {
    const entry = join(import.meta.dirname, 'consumer-process.ts');
    const args = [entry, url, topic, group, String(batchMs), ...(instance === undefined ? [] : [instance])];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { begun, done, uncaught } = JSON.parse(line);
      if (begun) this.begun.push(...begun);
      if (done) this.done.push(...done);
      if (uncaught) this.uncaught.push(uncaught);
    });
    process.once('exit', this.kill);
  }

  async untilBegun(count: number): Promise<void> {
    await eventually(() => expect(this.begun.length).to.be.at.least(count), { timeoutMs: 30_000 });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  kill = (): void => {
    this.child.kill('SIGKILL');
    process.off('exit', this.kill);
  };
}
