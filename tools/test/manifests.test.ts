import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { orSkip } from '@tollgate/testing';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { type Validators, validators } from '../manifests/validators.ts';
import { repository } from '../repository.ts';
import { serviceSettings } from '../settings-pages/read-settings.ts';

const run = promisify(execFile);
const overlays = join(repository, 'k8s/overlays');
/** The Kubernetes that the manifests are checked against; what they use came with 1.30. */
const kubernetes = '1.30';

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string } };
}
interface Container {
  name: string;
  image: string;
  env?: Variable[];
  envFrom?: { configMapRef: { name: string } }[];
  securityContext?: { readOnlyRootFilesystem?: boolean };
  resources?: { limits?: { memory?: string } };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe?: { periodSeconds: number; failureThreshold: number };
  lifecycle?: { preStop: { sleep: { seconds: number } } };
}
interface Pod {
  containers: Container[];
  terminationGracePeriodSeconds?: number;
  volumes?: { name: string; configMap?: { name: string; optional?: boolean } }[];
  securityContext?: { runAsNonRoot?: boolean };
}
interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    template?: { spec: Pod };
    serviceName?: string;
    replicas?: number;
    scaleTargetRef?: { name: string };
    triggers?: { authenticationRef?: { name: string }; metadata: Record<string, string> }[];
    secretTargetRef?: Record<string, string>[];
    rules?: { matches?: unknown[] }[];
    publishNotReadyAddresses?: boolean;
    podSelector?: { matchLabels?: Record<string, string> };
    egress?: { ports?: { port: number }[] }[];
  };
}

describe('the manifests of Kubernetes', function () {
  this.timeout(900_000);
  let programs: Validators;
  let folder: string;
  const built = new Map<string, string>();

  before(async function () {
    programs = await orSkip(this, validators);
    folder = await mkdtemp(join(tmpdir(), 'tollgate-manifests-'));
    for (const overlay of await readdir(overlays)) {
      const { stdout, stderr } = await run(programs.kustomize, ['build', join(overlays, overlay)], { maxBuffer: 1 << 26 });
      expect(stderr, overlay).to.equal('');
      built.set(overlay, stdout);
    }
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));

  function manifests(): [overlay: string, Manifest[]][] {
    return [...built].map(([overlay, text]) => [overlay, parseAllDocuments(text).map((document) => document.toJS() as Manifest)]);
  }

  it('fit the schemas of Kubernetes and of the operators that they name', async () => {
    for (const [overlay, text] of built) {
      const file = join(folder, `${overlay}.yaml`);
      await writeFile(file, text);
      await validate(file);
    }
  });

  it('would be refused if they did not', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, (built.get('production') as string).replace('minReplicas: 2', 'minReplicas: two'));
    const failure = await validate(file).then(
      () => undefined,
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );
    expect(failure).to.include('minReplicas');
  });

  it('set only what the services read, and all that they cannot start without', async () => {
    const settings = await serviceSettings();
    for (const [overlay, documents] of manifests()) {
      for (const { service, names } of variablesOfServices(documents)) {
        const known = settings.filter(({ services }) => services.includes(service));
        for (const name of names.own)
          expect(
            known.map((setting) => setting.name),
            `${overlay} ${service}`,
          ).to.include(name);
        for (const name of names.shared)
          expect(
            settings.map((setting) => setting.name),
            `${overlay} ${service}`,
          ).to.include(name);
        const set = new Set([...names.own, ...names.shared]);
        for (const { name, isRequired } of known) if (isRequired) expect(set.has(name), `${overlay} ${service} ${name}`).to.equal(true);
      }
    }
  });

  it('name only secrets that the overlay brings, or that README.md asks for', () => {
    const kafka = ['USERNAME', 'PASSWORD', 'SASL_MECHANISM', 'OAUTH_TOKEN_URL', 'OAUTH_SCOPE', 'TLS'].map((name) => `KAFKA_${name}`);
    const redis = ['REDIS_URL', 'REDIS_SENTINEL_PASSWORD'];
    const asked = ['MASTER_KEY', 'MASTER_KEYS_ALSO', 'INITIAL_ROOT_PASSWORD', 'MONGODB_URI', 'BUS_URL', ...redis, ...kafka];
    for (const [overlay, documents] of manifests()) {
      const brought = new Map(
        documents.filter(({ kind }) => kind === 'Secret').map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData ?? {})]),
      );
      for (const { env = [] } of containersIn(documents)) {
        for (const { valueFrom } of env) {
          if (valueFrom?.secretKeyRef === undefined) continue;
          const { name, key } = valueFrom.secretKeyRef;
          expect(brought.get(name) ?? (name === 'tollgate' ? asked : []), `${overlay} ${name}`).to.include(key);
        }
      }
    }
  });

  it('give each service the certificates of one’s own authorities, where there are any', () => {
    for (const [overlay, documents] of manifests()) {
      for (const name of ['relay', 'billing', 'console']) {
        const pod = documents.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec?.template?.spec;
        const volume = pod?.volumes?.find(({ configMap }) => configMap?.name === 'tollgate-authorities');
        expect(volume?.configMap, `${overlay} ${name}`).to.include({ optional: true });
        expect(pod?.containers[0]?.volumeMounts, `${overlay} ${name}`).to.deep.include({
          name: volume?.name,
          mountPath: '/authorities',
          readOnly: true,
        });
      }
    }
  });

  it('let each pod that is called end what it has once nobody calls it any more, within the time that it is given', () => {
    for (const [overlay, documents] of manifests()) {
      for (const name of ['relay', 'console', 'web']) {
        const pod = documents.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec?.template?.spec;
        const { env = [], lifecycle } = pod?.containers[0] ?? {};
        const ownDelay = env.find((variable) => variable.name === 'RELAY_STOP_DELAY_MS')?.value ?? '0';
        const waits = (lifecycle?.preStop.sleep.seconds ?? 0) + Number(ownDelay) / 1_000;
        expect(waits, `${overlay} ${name}`).to.be.at.least(5);
        expect(pod?.terminationGracePeriodSeconds, `${overlay} ${name}`).to.be.at.least(waits + 20);
      }
    }
  });

  it('give a pod the time to make the indexes and to wait for the migrations of a large database', () => {
    for (const [overlay, documents] of manifests()) {
      for (const { name, startupProbe } of containersIn(documents).filter(({ image }) => /^tollgate\/(services|console)/.test(image)))
        expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0), `${overlay} ${name}`).to.be.at.least(600);
    }
  });

  it('leave the number of pods to what scales them', () => {
    for (const [overlay, documents] of manifests()) {
      const scaled = documents.filter(({ kind }) => /scale/i.test(kind)).map(({ spec }) => spec?.scaleTargetRef?.name);
      expect(scaled, overlay).to.include('relay');
      for (const { kind, metadata, spec } of documents)
        if (kind === 'Deployment' && scaled.includes(metadata.name))
          expect(spec?.replicas, `${overlay} ${metadata.name}`).to.equal(undefined);
    }
  });

  it('scale billing by the lag of the topic and the group that it has, and enter Kafka with its account', () => {
    const said = (file: string, words: RegExp) => words.exec(readFileSync(join(repository, file), 'utf8'))?.[1];
    const topic = said('libs/bus/src/topics.ts', /usageRecorded: \{ name: '([^']+)'/);
    const consumerGroup = said('services/billing/src/settlement/consumer.ts', /settlementGroup = '([^']+)'/);
    const documents = manifests().flatMap(([, each]) => each);
    const triggers = documents.filter(({ kind }) => kind === 'ScaledObject').flatMap(({ spec }) => spec?.triggers ?? []);
    const accounts = documents.filter(({ kind }) => kind === 'TriggerAuthentication');
    expect(triggers).to.have.length(1);
    for (const { authenticationRef, metadata } of triggers) {
      expect(metadata).to.include({ topic, consumerGroup });
      const account = accounts.find((each) => each.metadata.name === authenticationRef?.name);
      expect(account?.spec?.secretTargetRef).to.deep.equal([
        { parameter: 'username', name: 'tollgate', key: 'KAFKA_USERNAME' },
        { parameter: 'password', name: 'tollgate', key: 'KAFKA_PASSWORD' },
      ]);
    }
  });

  it('route no more paths a rule than the first releases of the Gateway API take', () => {
    for (const [overlay, documents] of manifests()) {
      for (const { spec } of documents)
        for (const { matches = [] } of spec?.rules ?? []) expect(matches, overlay).to.have.length.at.most(8);
    }
  });

  it('bring a namespace that takes no pods but restricted ones', () => {
    for (const [overlay, documents] of manifests()) {
      const namespace = documents.find(({ kind }) => kind === 'Namespace');
      expect(namespace?.metadata.labels, overlay).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    }
  });

  it('run every container as a plain user with bounded memory, ours on read-only file systems', () => {
    for (const [overlay, documents] of manifests()) {
      for (const { spec } of documents) {
        if (spec?.template === undefined) continue;
        expect(spec.template.spec.securityContext?.runAsNonRoot, overlay).to.equal(true);
        for (const { name, image, resources, securityContext } of spec.template.spec.containers) {
          expect(resources?.limits?.memory, `${overlay} ${name}`).to.be.a('string');
          if (image.startsWith('tollgate/')) expect(securityContext?.readOnlyRootFilesystem, `${overlay} ${name}`).to.equal(true);
        }
      }
    }
  });

  it('let an engine that looks itself up by its name be found before it is ready, or it never would be', () => {
    for (const [overlay, documents] of manifests()) {
      for (const { kind, metadata, spec } of documents) {
        if (kind !== 'StatefulSet' || !new RegExp(`\\b${spec?.serviceName}:\\d`).test(JSON.stringify(spec?.template))) continue;
        const service = documents.find((other) => other.kind === 'Service' && other.metadata.name === spec?.serviceName);
        expect(service?.spec?.publishNotReadyAddresses, `${overlay} ${metadata.name}`).to.equal(true);
      }
    }
  });

  it('let billing go where its settings may lead it: names, engines, sentinels, who gives tokens for Kafka', () => {
    for (const [overlay, documents] of manifests()) {
      const policies = documents.filter(
        ({ kind, spec }) => kind === 'NetworkPolicy' && spec?.podSelector?.matchLabels?.['app.kubernetes.io/name'] === 'billing',
      );
      const ports = policies.flatMap(({ spec }) => spec?.egress ?? []).flatMap((rule) => (rule.ports ?? []).map(({ port }) => port));
      expect(ports, overlay).to.include.members([53, 27_017, 6_379, 6_380, 26_379, 9_092, 443]);
    }
  });

  function validate(file: string): Promise<unknown> {
    return run(programs.validate, [file, '--version', kubernetes, '--local-crds', programs.definitions.join(',')]);
  }
});

function containersIn(documents: Manifest[]): Container[] {
  return documents.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
}

/** The names that each service's container sets itself, and those that it takes from the settings of all. */
function variablesOfServices(documents: Manifest[]): { service: string; names: { own: string[]; shared: string[] } }[] {
  const maps = new Map(
    documents.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, Object.keys(data ?? {})]),
  );
  return containersIn(documents)
    .filter(({ name }) => ['relay', 'billing', 'console'].includes(name))
    .map(({ name, env = [], envFrom = [] }) => ({
      service: name,
      names: {
        own: env.map((variable) => variable.name),
        shared: envFrom.flatMap(({ configMapRef }) => maps.get(configMapRef.name) ?? []),
      },
    }));
}
