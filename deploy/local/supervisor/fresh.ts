import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { type DataFolder, prepareDataFolder } from './data-folder.ts';
import { Refusal } from './refusal.ts';

const word = 'wipe';

/** Deletes what this installation has stored, once the user typed the word. Downloaded tools stay. Throws Refusal otherwise. */
export async function wipeAfterConfirmation(folder: DataFolder): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const question = `This deletes every account, key, balance and log in ${folder.root}. Type "${word}" to go on: `;
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  if (answer.trim() !== word) throw new Refusal('Nothing was deleted.');
  for (const path of [folder.store, folder.redis, folder.logs, folder.secretsFile, folder.restoreMark]) {
    rmSync(path, { recursive: true, force: true });
  }
  prepareDataFolder(folder);
  process.stdout.write('Wiped.\n');
}
