import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable, findProgram } from '@tollgate/testing';
import { repository } from '../repository.ts';

const run = promisify(execFile);
const cache = join(repository, '.cache/manifests');

const programs = {
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
};
/** Modules that carry the definitions of what is not Kubernetes' own, and where in them. */
const definitions = {
  'sigs.k8s.io/gateway-api@v1.4.1': 'config/crd/standard',
  'github.com/kedacore/keda/v2@v2.18.1': 'config/crd/bases',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': 'example/prometheus-operator-crd',
  'github.com/external-secrets/external-secrets@v1.3.2': 'config/crds/bases',
};

export interface Validators {
  /** Paths of the programs. */
  kustomize: string;
  validate: string;
  /** Folders of custom resource definitions. */
  definitions: string[];
}

/** Makes the programs out of Go's modules, once per machine. Throws EngineUnavailable where there is no Go or no module proxy. */
export async function validators(): Promise<Validators> {
  const go = await findProgram('go');
  if (!go)
    throw new EngineUnavailable('the manifests are checked by programs in Go: install it, for example with "apt-get install -y golang-go"');
  await mkdir(cache, { recursive: true });
  try {
    for (const [name, module] of Object.entries(programs)) {
      const isThere = await stat(join(cache, name)).catch(() => undefined);
      if (isThere) continue;
      process.stderr.write(`  making ${name} for the tests (a minute, once)\n`);
      await run(go, ['install', module], { cwd: cache, timeout: 600_000, env: { ...process.env, GOBIN: cache, GOFLAGS: '-mod=mod' } });
    }
    const folders = await Promise.all(Object.entries(definitions).map(([module, folder]) => folderOf(go, { module, folder })));
    return { kustomize: join(cache, 'kustomize'), validate: join(cache, 'kubectl-validate'), definitions: folders };
  } catch (error) {
    throw new EngineUnavailable(`the programs that check the manifests could not be made: ${(error as Error).message.slice(0, 500)}`);
  }
}

async function folderOf(go: string, { module, folder }: { module: string; folder: string }): Promise<string> {
  const { stdout } = await run(go, ['mod', 'download', '-json', module], { cwd: cache, timeout: 300_000 });
  return join((JSON.parse(stdout) as { Dir: string }).Dir, folder);
}
