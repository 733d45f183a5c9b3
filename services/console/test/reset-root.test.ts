import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoginView } from '@tollgate/contracts';
import { AuditLog, OptionModel } from '@tollgate/db';
import { bareEnvironment, engines } from '@tollgate/testing';
import { expect } from 'chai';
import { TOTP } from 'otpauth';
import { startConsole } from './support/console.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../src/reset-root.ts');
const forgotten = 'what root has forgotten';

function resetRoot(uri: string): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { ...bareEnvironment(), MONGODB_URI: uri },
  });
}

describe('root who has lost its password and its second step', function () {
  this.timeout(60_000);

  it('gets a password that is good for choosing another, and whoever was signed in is out', async () => {
    const uri = (await engines()).mongodbUri();
    const tollgate = await startConsole({ MONGODB_URI: uri, INITIAL_ROOT_PASSWORD: forgotten });
    const { secret } = await tollgate.root.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: forgotten });
    await tollgate.root.ok('POST', '/api/user/2fa/enable', { code: new TOTP({ secret }).generate() });

    await OptionModel.create({ _id: 'PasswordLoginEnabled', value: 'false', updatedAt: new Date() });
    await tollgate.restart();
    const { stdout } = await resetRoot(uri);
    expect(stdout).to.contain('Sign-in by password was disabled: it is enabled again');
    const [, password = ''] = /Sign in as root, password (\S+) /.exec(stdout) ?? [];
    expect((await tollgate.root.send('GET', '/api/user/self')).code).to.equal('not_logged_in');
    const refused = await tollgate.anonymous.send('POST', '/api/user/login', { username: 'root', password: forgotten });
    expect(refused.success).to.equal(false);
    const entered = await tollgate.anonymous.send<LoginView>('POST', '/api/user/login', { username: 'root', password });
    expect(entered.message).to.equal('This password is temporary. Set your own password now.');
    expect(entered.data).to.include({ factory_password: true, temporary_password: true });
    const root = await tollgate.signIn('root', password);
    expect((await root.send('GET', '/api/channel/')).code).to.equal('password_must_change');
    await root.ok('PUT', '/api/user/self', { original_password: password, password: 'chosen anew' });
    await (await tollgate.signIn('root', 'chosen anew')).ok('GET', '/api/channel/');
    expect(await AuditLog.findOne({ actorName: 'operator', target: 'user:1' }).lean()).to.have.property('action', 'user.update');
    expect((await resetRoot(uri)).stdout).not.to.contain('Sign-in by password');
    await tollgate.close();
  });

  it('is told where there is no root, and no database', async () => {
    for (const [uri, words] of [
      [(await engines()).mongodbUri(), 'there is no account root yet'],
      ['mysql://127.0.0.1/tollgate', 'MONGODB_URI: must begin with'],
    ] as const) {
      const failure = await resetRoot(uri).then(
        () => undefined,
        (error: { code: number; stderr: string }) => error,
      );
      expect(failure).to.include({ code: 1 });
      expect(failure?.stderr).to.contain(words);
    }
  });
});
