import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { repository } from '../repository.ts';
import { serviceSettings } from '../settings-pages/read-settings.ts';

interface Service {
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
  profiles?: string[];
  volumes?: string[];
}

interface Scrapes {
  scrape_configs: { job_name: string; dns_sd_configs: unknown[] }[];
}

describe('docker-compose.yml', () => {
  let text: string;
  let services: Record<string, Service>;

  before(async () => {
    text = await readFile(join(repository, 'docker-compose.yml'), 'utf8');
    services = (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
  });

  it('does not start without the master key and the passwords of all engines', () => {
    for (const name of ['MASTER_KEY', 'MONGODB_PASSWORD', 'MONGODB_REPLICA_KEY', 'REDIS_PASSWORD', 'KAFKA_PASSWORD']) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${name}\\b[^}]*\\}`, 'g'))].map(([use]) => use);
      expect(uses, name).not.to.deep.equal([]);
      for (const use of uses) expect(use).to.match(/^\$\{\w+:\?/);
    }
  });

  it('gives every engine a password, and the services what they need to enter', () => {
    const { mongo, redis, kafka, relay, billing, console: web } = services;
    expect(mongo?.command?.join()).to.contain('--keyFile');
    expect(mongo?.environment).to.have.property('MONGO_INITDB_ROOT_PASSWORD');
    expect(redis?.command?.join()).to.contain('requirepass');
    const open = /(\w+):PLAINTEXT/g;
    for (const [, name] of (kafka?.environment?.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP ?? 'none:PLAINTEXT').matchAll(open))
      expect(kafka?.environment?.KAFKA_LISTENERS).to.contain(`${name}://localhost:`);
    for (const service of [relay, billing]) {
      expect(service?.environment).to.include({ KAFKA_USERNAME: 'tollgate', KAFKA_SASL_MECHANISM: 'plain' });
      expect(service?.environment?.KAFKA_PASSWORD).to.contain('KAFKA_PASSWORD');
    }
    for (const service of [relay, billing, web]) {
      expect(service?.environment?.MONGODB_URI).to.match(/^mongodb:\/\/tollgate:\$\{MONGODB_PASSWORD/);
      expect(service?.environment?.REDIS_URL).to.match(/^redis:\/\/:\$\{REDIS_PASSWORD/);
    }
    for (const engine of [mongo, redis, kafka]) expect(engine).not.to.have.property('ports');
  });

  it('has those who watch in a profile of their own: they see the files of deploy/observability, and are reached from this machine only', async () => {
    const watchers = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('observability'));
    expect(watchers.map(([name]) => name)).to.deep.equal(['prometheus', 'grafana']);
    const mounted = watchers.flatMap(([, { volumes = [] }]) => volumes.filter((volume) => volume.startsWith('./')));
    for (const volume of mounted) {
      const [path = '', , mode] = volume.split(':');
      expect(mode, volume).to.equal('ro');
      await access(join(repository, path));
    }
    const seen = mounted.map((volume) => volume.split(':')[0]?.replace('./deploy/observability/', ''));
    expect(seen).to.have.members(['prometheus.yml', 'rules', 'grafana/provisioning', 'grafana/dashboards']);
    for (const [name, { ports = [] }] of watchers) for (const port of ports) expect(port, name).to.match(/^127\.0\.0\.1:/);
    const scrapes = parse(await readFile(join(repository, 'deploy/observability/prometheus.yml'), 'utf8')) as Scrapes;
    for (const { job_name, dns_sd_configs } of scrapes.scrape_configs) {
      expect(services).to.have.property(job_name);
      expect(dns_sd_configs).to.deep.include({ names: [job_name], type: 'A', port: 9100, refresh_interval: '15s' });
      expect(services[job_name]?.environment?.METRICS_PORT).to.equal('9100');
    }
  });

  it('lets Grafana begin with a password alone', () => {
    expect(services.grafana?.command?.join()).to.contain('test -n "$$GF_SECURITY_ADMIN_PASSWORD"').and.to.contain('exit 1');
  });

  it('sets only what the services read', async () => {
    const known = await serviceSettings();
    for (const name of ['relay', 'billing', 'console']) {
      for (const variable of Object.keys(services[name]?.environment ?? {}))
        expect(
          known.map((setting) => setting.name),
          `${name} ${variable}`,
        ).to.include(variable);
    }
  });

  it('has a front that passes on the host by which it was called, and not what a caller says of himself, at any address', async () => {
    const nginx = await readFile(join(repository, 'deploy/docker/nginx.conf'), 'utf8');
    const [server = '', ...locations] = nginx.split(/^ {4}location /m);
    // A location with a header of its own inherits none.
    const speaking = [server, ...locations.filter((text) => text.includes('proxy_set_header'))];
    expect(speaking).to.have.length.greaterThan(2);
    for (const text of speaking) {
      const headers = new Map([...text.matchAll(/proxy_set_header (\S+) (\S+);/g)].map(([, name = '', value = '']) => [name, value]));
      expect(headers.get('Host')).to.equal('$http_host');
      expect(headers.get('X-Forwarded-For')).to.equal('$remote_addr');
      expect(headers.get('X-Forwarded-Proto')).to.equal('$forwarded_proto');
      expect(headers.get('X-Forwarded-Host'), text.split('\n')[0]).to.equal('$forwarded_host');
      expect(headers.get('X-Tollgate-User')).to.be.oneOf(['""', '$pass']);
    }
  });
});
