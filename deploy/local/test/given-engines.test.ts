import {
  type BundledMongo,
  orSkip,
  type RedisServer,
  sharedKafka,
  startBundledMongo,
  startRedis,
  startTlsFront,
  type TlsFront,
} from '@tollgate/testing';
import { expect } from 'chai';
import { type Installation, installation } from './tollgate.ts';

describe('engines that the user names', function () {
  this.timeout(180_000);
  let here: Installation;
  let mongo: BundledMongo;
  let encrypted: TlsFront;
  let redis: RedisServer;
  let brokers: string[];

  before(async function () {
    ({ brokers } = await orSkip(this, sharedKafka));
    mongo = await startBundledMongo();
    encrypted = await orSkip(this, () => startTlsFront({ to: mongo.port }));
    redis = await startRedis();
    here = await installation();
  });
  after(async () => {
    await here?.remove();
    await redis?.stop();
    await encrypted?.stop();
    await mongo?.stop();
  });

  it('are used instead of local ones: Kafka as the bus, and a MongoDB that is reached by TLS alone', async () => {
    const MONGODB_URI = `mongodb://127.0.0.1:${encrypted.port}/given`;
    const env = { MONGODB_URI, MONGODB_CA_FILE: encrypted.caFile, REDIS_URL: redis.url, BUS_URL: `kafka://${brokers.join(',')}` };
    const running = await here.start(env);
    expect(here.state().processes.map(({ name }) => name)).to.deep.equal(['billing', 'console', 'relay']);
    expect(await here.run(['status']).ended).to.equal(0);
    running.child.kill('SIGTERM');
    expect(await running.ended).to.equal(0);
  });
});
