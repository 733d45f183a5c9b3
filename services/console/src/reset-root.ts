// A program of its own, for whoever may run one beside a console: its environment names the database.
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import { endProcess, loadConfig, mongoAccess } from '@tollgate/runtime';
import { createPasswords } from './auth/passwords.ts';
import { resetRoot } from './auth/reset-root.ts';
import { consoleEnv } from './config.ts';

try {
  const config = loadConfig(consoleEnv.pick({ MONGODB_URI: true, MONGODB_CA_FILE: true }), process.env);
  await connectDatabase(config.MONGODB_URI, mongoAccess(config));
  const { username, password, enabledLogin } = await resetRoot(createPasswords());
  process.stdout.write(`Sign in as ${username}, password ${password} (it has to be changed, and is not shown again).\n`);
  process.stdout.write('Its second step is taken away, and its sessions and its access token have ended.\n');
  if (enabledLogin) process.stdout.write('Sign-in by password was disabled: it is enabled again, for all users.\n');
  await disconnectDatabase();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  await endProcess(1);
}
