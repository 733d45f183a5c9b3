import { request } from 'node:http';

const socketPath = '/var/run/docker.sock';
const image = 'mongo:8.0';

/** A MongoDB in a container, as a replica set of one node like in production. */
export interface ContainerMongo {
  uri: string;
  stop(): Promise<void>;
}

/** Starts a MongoDB container when a Docker engine answers; undefined when none does (told in half a second). */
export async function startContainerMongo(): Promise<ContainerMongo | undefined> {
  if (!process.env.DOCKER_HOST && !(await dockerAnswers())) return undefined;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start();
  const initiated = await container.exec([
    'mongosh',
    '--quiet',
    '--eval',
    'rs.initiate(); while (!db.hello().isWritablePrimary) sleep(50);',
  ]);
  if (initiated.exitCode !== 0) throw new Error(`the MongoDB container's replica set did not start: ${initiated.output}`);
  return {
    uri: `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`,
    stop: async () => {
      await container.stop();
    },
  };
}

function dockerAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 500 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', () => resolve(false));
    ping.once('close', () => resolve(false));
    ping.end();
  });
}
