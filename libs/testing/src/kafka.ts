import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { silenceKafkajs } from '@tollgate/bus';
import { Kafka, logLevel } from 'kafkajs';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type GuardedChild, startGuarded } from './guarded-child.ts';
import { kafkaRuntime } from './kafka-jars.ts';
import { freePort, untilListening } from './ports.ts';
import { findProgram } from './programs.ts';
import { restartable } from './restartable.ts';

const run = promisify(execFile);
const login = 'org.apache.kafka.common.security';
const username = 'tollgate';
const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];

/** A real one-node Kafka on loopback. */
export interface KafkaServer {
  brokers: string[];
  pid: number;
  /** Puts a proxy before the broker; its clients, at this address, are led through it for everything. Once per broker. */
  proxied(): Promise<{ proxy: FaultProxy; brokers: string[] }>;
  kill9(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A broker that one suite has for itself. */
export interface OwnKafkaServer extends KafkaServer {
  /** Another door of the same broker, which asks for a login by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, or, where a server of tokens was named, for one of its tokens (OAUTHBEARER). */
  guarded: { brokers: string[]; username: string; password: string };
  /** A third one, for the same logins over TLS, where it was asked for; `ca` is the broker's certificate. */
  encrypted?: { brokers: string[]; ca: string } | undefined;
}

export interface KafkaDoors {
  /** Costs two starts of Java. */
  encrypted?: boolean;
  /** Whose tokens it takes: those that `issuer` signed for `audience` with a key that is found at `keysUrl` (JWKS), where it must answer whenever the broker starts. */
  tokens?: TokenIssuer;
}

export interface TokenIssuer {
  keysUrl: string;
  issuer: string;
  audience: string;
}

/** Starts a Kafka broker. Throws EngineUnavailable, with what to install, when Java or the jars are not to be had. */
export async function startKafka({ encrypted, tokens }: KafkaDoors = {}): Promise<OwnKafkaServer> {
  silenceKafkajs();
  const { java, jars } = await kafkaRuntime();
  const classpath = join(jars, '*');
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-kafka-'));
  const [port, controllerPort, behindProxy, proxyPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const [guardedPort, password] = [await freePort(), randomBytes(18).toString('base64url')];
  const tls = encrypted ? { port: await freePort(), ...(await brokerCertificate(dir)) } : undefined;
  const settings = join(dir, 'server.properties');
  await writeFile(settings, serverProperties({ dir, port, controllerPort, behindProxy, proxyPort, guardedPort, password, tls, tokens }));
  const clusterId = `T${randomBytes(16).toString('base64url').slice(1)}`; // one that begins with a dash would be taken for an option
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
  const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', settings, '--ignore-formatted', ...scram];
  await run(java, [...jvm, '-cp', classpath, ...format]);
  const brokers = [`127.0.0.1:${port}`];
  const launch = async (): Promise<GuardedChild> => {
    const allowed = tokens ? [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${tokens.keysUrl}`] : [];
    const child = await startGuarded(java, [...jvm, ...allowed, '-cp', classpath, 'kafka.Kafka', settings], { ownedFolder: dir });
    await untilListening(port, child, 60_000);
    await untilServing(brokers);
    return child;
  };
  return Object.assign(await restartable(launch, dir), {
    brokers,
    guarded: { brokers: [`127.0.0.1:${guardedPort}`], username, password },
    encrypted: tls && { brokers: [`127.0.0.1:${tls.port}`], ca: tls.ca },
    proxied: async () => ({
      proxy: await startFaultProxy({ to: behindProxy, port: proxyPort }),
      brokers: [`127.0.0.1:${proxyPort}`],
    }),
  });
}

/** An open port is not yet a broker: after kill -9 the old registration must time out first. */
async function untilServing(brokers: string[]): Promise<void> {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await admin.connect();
      const { brokers: registered, controller } = await admin.describeCluster();
      if (registered.length > 0 && controller !== null) return;
      throw new Error('no broker has registered yet');
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    } finally {
      await admin.disconnect();
    }
  }
}

interface ServerSettings {
  dir: string;
  port: number;
  controllerPort: number;
  /** A second door, which tells its clients that the broker is at `proxyPort`. */
  behindProxy: number;
  proxyPort: number;
  guardedPort: number;
  password: string;
  tls: (BrokerCertificate & { port: number }) | undefined;
  tokens: TokenIssuer | undefined;
}

interface BrokerDoor {
  name: string;
  port: number;
  /** What clients are told, where it is another. */
  toldPort?: number;
  protocol: string;
}

function serverProperties({
  dir,
  port,
  controllerPort,
  behindProxy,
  proxyPort,
  guardedPort,
  password,
  tls,
  tokens,
}: ServerSettings): string {
  const doors: BrokerDoor[] = [
    { name: 'PLAINTEXT', port, protocol: 'PLAINTEXT' },
    { name: 'PROXIED', port: behindProxy, toldPort: proxyPort, protocol: 'PLAINTEXT' },
    { name: 'GUARDED', port: guardedPort, protocol: 'SASL_PLAINTEXT' },
  ];
  if (tls) doors.push({ name: 'ENCRYPTED', port: tls.port, protocol: 'SASL_SSL' });
  const controller = { name: 'CONTROLLER', port: controllerPort, protocol: 'PLAINTEXT' };
  const list = (of: BrokerDoor[], shown: (door: BrokerDoor) => string) => of.map(shown).join(',');
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=${list([...doors, controller], (door) => `${door.name}://127.0.0.1:${door.port}`)}`,
    `advertised.listeners=${list(doors, (door) => `${door.name}://127.0.0.1:${door.toldPort ?? door.port}`)}`,
    'inter.broker.listener.name=PLAINTEXT',
    'controller.listener.names=CONTROLLER',
    `listener.security.protocol.map=${list([...doors, controller], ({ name, protocol }) => `${name}:${protocol}`)}`,
    ...doors.filter(({ protocol }) => protocol.startsWith('SASL')).flatMap(({ name }) => logins(name.toLowerCase(), password, tokens)),
    ...(tls ? [`ssl.keystore.location=${tls.keystore}`, 'ssl.keystore.type=PKCS12', `ssl.keystore.password=${tls.password}`] : []),
    `log.dirs=${join(dir, 'data')}`,
    'offsets.topic.replication.factor=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'offsets.topic.num.partitions=1',
    'group.initial.rebalance.delay.ms=0',
    'broker.session.timeout.ms=1500', // after kill -9 the broker is back in 3 s instead of 12
    'broker.heartbeat.interval.ms=300',
    'auto.create.topics.enable=false', // as production should be: a typing error must not become a topic
    '',
  ].join('\n');
}

function logins(door: string, password: string, tokens: TokenIssuer | undefined): string[] {
  const of = `listener.name.${door}`;
  return [
    `${of}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512${tokens ? ',OAUTHBEARER' : ''}`,
    `${of}.plain.sasl.jaas.config=${login}.plain.PlainLoginModule required user_${username}="${password}";`,
    `${of}.scram-sha-256.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    `${of}.scram-sha-512.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    ...(tokens ? tokenChecks(`${of}.oauthbearer`, tokens) : []),
  ];
}

/** https://kafka.apache.org/43/security/authentication-using-sasl/#authentication-using-sasloauthbearer */
function tokenChecks(of: string, { keysUrl, issuer, audience }: TokenIssuer): string[] {
  return [
    `${of}.sasl.jaas.config=${login}.oauthbearer.OAuthBearerLoginModule required;`,
    `${of}.sasl.server.callback.handler.class=${login}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
    `${of}.sasl.oauthbearer.jwks.endpoint.url=${keysUrl}`,
    `${of}.sasl.oauthbearer.expected.issuer=${issuer}`,
    `${of}.sasl.oauthbearer.expected.audience=${audience}`,
  ];
}

/** A certificate that its broker on 127.0.0.1 has signed itself. */
interface BrokerCertificate {
  keystore: string;
  password: string;
  /** As PEM: what a client has to trust. */
  ca: string;
}

/** Made by keytool, which is part of every Java that runs a broker. */
async function brokerCertificate(folder: string): Promise<BrokerCertificate> {
  const keytool = (await findProgram('keytool')) ?? 'keytool';
  const [keystore, password] = [join(folder, 'broker.p12'), 'of-the-test'];
  const store = ['-alias', 'broker', '-keystore', keystore, '-storetype', 'PKCS12', '-storepass', password];
  const holder = ['-dname', 'CN=broker', '-ext', 'san=ip:127.0.0.1', '-validity', '2'];
  await run(keytool, ['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', ...holder, ...store]);
  const { stdout } = await run(keytool, ['-exportcert', '-rfc', ...store]);
  return { keystore, password, ca: stdout };
}
