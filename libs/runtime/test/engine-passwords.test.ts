import { expect } from 'chai';
import { ConfigError, loadServiceConfig, openEngines, serviceEnv } from '../src/index.ts';

const protectedEngines = {
  HOST: '0.0.0.0',
  MONGODB_URI: 'mongodb://tollgate:secret@mongo-1:27017,mongo-2:27017/tollgate?replicaSet=rs0',
  REDIS_URL: 'rediss://:secret@redis:6379',
  BUS_URL: 'kafka://kafka-1:9092,kafka-2:9092',
  KAFKA_USERNAME: 'tollgate',
  KAFKA_PASSWORD: 'secret',
};
const schema = serviceEnv.omit({ MASTER_KEY: true });
const problemsWith = (changed: Record<string, string>) => openEngines(schema.parse({ ...protectedEngines, ...changed }));

describe('a service that listens beyond this machine', () => {
  it('starts on engines that want a password', () => {
    expect(loadServiceConfig(schema, protectedEngines).REDIS_URL).to.equal(protectedEngines.REDIS_URL);
  });

  const open: [what: string, named: string, engine: string, changed: Record<string, string>][] = [
    ['a MongoDB', 'MONGODB_URI', 'mongodb', { MONGODB_URI: 'mongodb://mongo:27017/tollgate' }],
    ['a MongoDB with a name alone', 'MONGODB_URI', 'mongodb', { MONGODB_URI: 'mongodb://tollgate@mongo:27017/tollgate' }],
    ['one of several MongoDBs elsewhere', 'MONGODB_URI', 'mongodb', { MONGODB_URI: 'mongodb://127.0.0.1:27017,mongo:27017/tollgate' }],
    ['a MongoDB found by name', 'MONGODB_URI', 'mongodb', { MONGODB_URI: 'mongodb+srv://cluster.example.com/tollgate' }],
    ['a Redis', 'REDIS_URL', 'redis', { REDIS_URL: 'redis://redis:6379' }],
    ['a Redis behind sentinels', 'REDIS_URL', 'redis', { REDIS_URL: 'redis://localhost', REDIS_SENTINELS: 'sentinel:26379' }],
    ['a bus on another Redis', 'BUS_URL', 'redis', { BUS_URL: 'redis://bus:6379' }],
    ['a Kafka', 'KAFKA_USERNAME', 'kafka', { KAFKA_USERNAME: '', KAFKA_PASSWORD: '' }],
    ['a Kafka with a name alone', 'KAFKA_USERNAME', 'kafka', { KAFKA_PASSWORD: '' }],
  ];
  for (const [what, named, engine, changed] of open) {
    it(`does not start on ${what} without a password, unless that is said to be on purpose`, () => {
      const [problem = '', ...others] = problemsWith(changed);
      expect(others).to.deep.equal([]);
      expect(problem).to.contain(`${named}:`).and.to.contain(`ENGINES_WITHOUT_PASSWORD=${engine}`).and.not.contain('secret');
      expect(() => loadServiceConfig(schema, { ...protectedEngines, ...changed })).to.throw(ConfigError, named);
      expect(problemsWith({ ...changed, ENGINES_WITHOUT_PASSWORD: engine })).to.deep.equal([]);
    });
  }

  it('names all of them at once, and takes no other word for an engine', () => {
    const all = { MONGODB_URI: 'mongodb://mongo/tollgate', REDIS_URL: 'redis://redis', KAFKA_USERNAME: '' };
    expect(problemsWith(all)).to.have.length(3);
    expect(problemsWith({ ...all, ENGINES_WITHOUT_PASSWORD: 'mongodb, kafka,redis' })).to.deep.equal([]);
    expect(() => loadServiceConfig(schema, { ...protectedEngines, ENGINES_WITHOUT_PASSWORD: 'all' })).to.throw('ENGINES_WITHOUT_PASSWORD');
  });

  it('takes a MongoDB that is found by name, with its password', () => {
    expect(problemsWith({ MONGODB_URI: 'mongodb+srv://tollgate:secret@cluster.example.com/tollgate' })).to.deep.equal([]);
  });

  it('takes a certificate for a password, and leaves alone what only this machine reaches', () => {
    expect(problemsWith({ MONGODB_URI: 'mongodb://mongo:27017/tollgate?tls=true&authMechanism=MONGODB-X509' })).to.deep.equal([]);
    const near = {
      MONGODB_URI: 'mongodb://%2Frun%2Fstore.sock/tollgate',
      REDIS_URL: '/run/redis.sock',
      BUS_URL: 'kafka://[::1]:9092,localhost:9093',
    };
    expect(problemsWith({ ...near, KAFKA_USERNAME: '' })).to.deep.equal([]);
    expect(problemsWith({ HOST: '127.0.0.1', REDIS_URL: 'redis://redis:6379' })).to.deep.equal([]);
  });
});
