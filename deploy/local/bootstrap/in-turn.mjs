// One process of this clone at a time installs: two first starts would do it over each other.
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repository, Stop, say } from './command.mjs';
import { identityOf, stillRuns } from './process-identity.mjs';

const folder = join(repository, '.cache/installing');
const nobody = 'nobody';
const pollMs = 200;

/**
 * Does the work unless it is done, while no other process of this clone is at such work; says for whom it waits.
 *
 * Claims are links with a number for a name, to a text that names the owner: made at once and by one alone. The highest counts, until its owner is
 * gone or leaves it to nobody; then the next number may be taken. None is removed before there is a higher one, so whoever has looked
 * long ago cannot make one that counts.
 */
export async function inTurn(isDone, work) {
  if (isDone()) return;
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Stop(`${folder} cannot be made (${error.code}). May this user write to this clone?`);
  }
  const own = await claimed();
  try {
    if (!isDone()) await work();
  } finally {
    claim(own + 1, nobody);
  }
}

async function claimed() {
  for (let told; ; ) {
    const last = highest();
    const owner = ownerOf(last);
    if (owner === undefined) {
      if (claim(last + 1, `${process.pid} ${identityOf(process.pid)}`)) return last + 1;
      continue;
    }
    if (told !== owner) say(`Another start (pid ${owner}) is installing what this clone needs: waiting for it ...`);
    told = owner;
    await delay(pollMs);
  }
}

/** Whether the number is ours now, and the highest; those below it are not needed any more. */
function claim(number, owner) {
  try {
    symlinkSync(owner, join(folder, String(number)));
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  const isHighest = highest() === number;
  for (const each of numbers()) if (isHighest ? each < number : each === number) rmSync(join(folder, String(each)), { force: true });
  return isHighest;
}

/** The pid of the process that has a claim, while it runs. */
function ownerOf(number) {
  try {
    const [pid, ...identity] = readlinkSync(join(folder, String(number))).split(' ');
    return stillRuns({ pid: Number(pid), identity: identity.join(' ') }) ? pid : undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined; // there is none, or a higher one by now
    throw error;
  }
}

function highest() {
  return Math.max(0, ...numbers());
}

function numbers() {
  return readdirSync(folder).map(Number);
}
