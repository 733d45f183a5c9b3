import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from '@tollgate/testing';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';

/** A real MariaDB or PostgreSQL, with the rows of a SQLite file in it. */
export interface OtherDatabase {
  address: string;
  close(): Promise<void>;
}

/** Debian's programs; undefined where they are not installed. */
const mariadbd = ['/usr/sbin/mariadbd', '/usr/sbin/mysqld'].find((path) => existsSync(path));
const postgresFolder = ['/usr/lib/postgresql'].flatMap((folder) =>
  existsSync(folder) ? readdirSync(folder).map((version) => join(folder, version, 'bin')) : [],
)[0];
export const installed = { mariadb: mariadbd !== undefined, postgres: postgresFolder !== undefined };

/** Servers of databases refuse to run as root. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const person = isRoot ? { uid: nobody, gid: nobody } : {};

/** A folder of the person who runs the server. */
function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-${name}-`));
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, nobody, nobody);
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

function ran(program: string, args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { ...person, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

/** Starts a server; the returned function stops it and removes its folder. */
function started(program: string, args: string[], folder: string): () => Promise<void> {
  const server = spawn(program, args, { ...person, stdio: 'ignore' });
  const ended = once(server, 'exit');
  return async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

export async function mariadbOf(file: string): Promise<OtherDatabase> {
  const folder = ownFolder('mariadb');
  const data = join(folder, 'data');
  const own = ['--no-defaults', `--datadir=${data}`];
  ran('mariadb-install-db', [...own, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const port = await freePort();
  const networks = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(folder, 's')}`, `--pid-file=${join(folder, 'pid')}`];
  const close = started(mariadbd ?? '', [...own, ...networks, '--innodb-flush-log-at-trx-commit=0'], folder);
  const connect = (database?: string) =>
    createConnection({ host: '127.0.0.1', port, user: 'root', multipleStatements: true, ...(database && { database }) });
  const first = await eventually(() => connect(), { timeoutMs: 60_000 });
  await first.query(
    "CREATE DATABASE gateway CHARACTER SET utf8mb4; CREATE USER reader@'%' IDENTIFIED BY 'p@ss/word'; GRANT SELECT ON gateway.* TO reader@'%'",
  );
  await first.end();
  const connection = await connect('gateway');
  await copied(file, {
    create: (sql) => connection.query(inMysql(sql)),
    insert: (table, row) => connection.query(`INSERT INTO \`${table}\` SET ?`, [row]),
  });
  await connection.end();
  return { address: `mysql://reader:${encodeURIComponent('p@ss/word')}@127.0.0.1:${port}/gateway`, close };
}

export async function postgresOf(file: string): Promise<OtherDatabase> {
  const { client, ...database } = await emptyPostgres();
  await copied(file, {
    create: (sql) => client.query(inPostgres(sql)),
    insert: (table, row) => {
      const columns = Object.keys(row);
      const places = columns.map((_, at) => `$${at + 1}`).join(', ');
      const names = columns.map((column) => `"${column}"`).join(', ');
      return client.query(`INSERT INTO "${table}" (${names}) VALUES (${places})`, Object.values(row));
    },
  });
  await client.end();
  return database;
}

/** A PostgreSQL without tables, and a client that may make some. */
export async function emptyPostgres(): Promise<OtherDatabase & { client: pg.Client }> {
  const folder = ownFolder('postgres');
  const data = join(folder, 'data');
  ran(join(postgresFolder ?? '', 'initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  const port = await freePort();
  const close = started(join(postgresFolder ?? '', 'postgres'), ['-D', data, '-p', String(port), '-k', folder, '-F'], folder);
  const address = `postgres://owner@127.0.0.1:${port}/postgres`;
  const client = await eventually(
    async () => {
      const made = new pg.Client({ connectionString: address });
      await made.connect();
      return made;
    },
    { timeoutMs: 60_000 },
  );
  return { address, close, client };
}

interface Copying {
  create(sql: string): Promise<unknown>;
  insert(table: string, row: Record<string, unknown>): Promise<unknown>;
}

async function copied(file: string, { create, insert }: Copying): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all() as { name: string; sql: string }[];
  for (const { name, sql } of tables) {
    await create(sql);
    for (const row of database.prepare(`SELECT * FROM "${name}"`).all()) await insert(name, { ...row });
  }
  database.close();
}

/** As the products' own migrations make the columns there. */
function inMysql(sql: string): string {
  return sql
    .replaceAll('"', '`')
    .replaceAll(/([(, ])key (?=text|char)/g, '$1`key` ')
    .replaceAll(/text (UNIQUE|PRIMARY KEY)/g, 'varchar(191) $1')
    .replaceAll(/\binteger\b/g, 'bigint')
    .replaceAll(/numeric DEFAULT false/g, 'tinyint(1) DEFAULT 0')
    .replaceAll(/\bnumeric\b/g, 'tinyint(1)')
    .replaceAll(/deleted_at datetime/g, 'deleted_at datetime(3)')
    .replaceAll(/\breal\b/g, 'double');
}

function inPostgres(sql: string): string {
  return sql
    .replaceAll(/\binteger\b/g, 'bigint')
    .replaceAll(/\bnumeric\b/g, 'boolean')
    .replaceAll(/\bdatetime\b/g, 'timestamptz')
    .replaceAll(/\breal\b/g, 'double precision');
}
