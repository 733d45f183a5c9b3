import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { int16, int32, text } from './kafka-bytes.ts';

const derive = promisify(pbkdf2);
const handshakeKey = 17;
const authenticateKey = 36;
/** Upper bound for the broker's iteration count, which would otherwise let a broker block this process. */
const maxIterations = 1_000_000;

/** Credentials for the brokers, by SASL mechanism. */
export type KafkaLogin = PasswordLogin | BearerLogin;

interface PasswordLogin {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

interface BearerLogin {
  mechanism: 'oauthbearer';
  username: string;
  /** In the form that kafkajs takes. */
  oauthBearerProvider(): Promise<{ value: string }>;
}

/** The brokers reject the credentials. Retrying does not help. */
export class LoginRefused extends Error {}

/**
 * Authenticates a new connection (https://kafka.apache.org/protocol#sasl_handshake, SCRAM by RFC 5802 and 7677, OAUTHBEARER by RFC 7628).
 * `ask` sends one request and resolves to the response from the correlation id on. Throws LoginRefused.
 */
export async function logIn(ask: (request: Buffer) => Promise<Buffer>, login: KafkaLogin): Promise<void> {
  const mechanism = login.mechanism.toUpperCase();
  const shake = await ask(request(handshakeKey, 1, text(mechanism)));
  if (shake.readInt16BE(4) !== 0) throw new LoginRefused(`Kafka does not take logins by ${mechanism}: ${mechanismsIn(shake).join(', ')}`);

  async function send(message: string): Promise<string> {
    const bytes = Buffer.from(message);
    const answer = await ask(request(authenticateKey, 0, Buffer.concat([int32(bytes.length), bytes])));
    const failed = answer.readInt16BE(4) !== 0;
    const reasonLength = Math.max(0, answer.readInt16BE(6));
    const reason = answer.toString('utf8', 8, 8 + reasonLength).slice(0, 256);
    if (failed) throw new LoginRefused(`Kafka refuses the login of ${login.username} (KAFKA_USERNAME, KAFKA_PASSWORD): ${reason}`);
    const at = 8 + reasonLength;
    return answer.toString('utf8', at + 4, at + 4 + Math.max(0, answer.readInt32BE(at)));
  }

  if (login.mechanism === 'oauthbearer') await bearer(send, login);
  else if (login.mechanism === 'plain') await send(`\0${login.username}\0${login.password}`);
  else await scram(send, login, login.mechanism === 'scram-sha-256' ? 'sha256' : 'sha512');
}

/** A server that rejects a token sends the reason first, and fails the login only after our acknowledgment. */
async function bearer(send: (message: string) => Promise<string>, { oauthBearerProvider }: BearerLogin): Promise<void> {
  const { value } = await oauthBearerProvider();
  if ((await send(`n,,\x01auth=Bearer ${value}\x01\x01`)) === '') return;
  await send('\x01');
  throw new LoginRefused('Kafka refuses the token');
}

async function scram(send: (message: string) => Promise<string>, { username, password }: PasswordLogin, hash: string): Promise<void> {
  const nonce = randomBytes(24).toString('base64url');
  const first = `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;
  const challenge = await send(`n,,${first}`);
  const { r: both = '', s: salt = '', i: rounds = '' } = fieldsOf(challenge);
  const iterations = Number(rounds);
  if (!both.startsWith(nonce) || !(iterations >= 1 && iterations <= maxIterations))
    throw new LoginRefused('Kafka answers the login with a challenge that is none');
  const mac = (key: Buffer, message: string): Buffer => createHmac(hash, key).update(message).digest();
  const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, hash === 'sha256' ? 32 : 64, hash);
  const key = mac(salted, 'Client Key');
  const last = `c=biws,r=${both}`;
  const whole = `${first},${challenge},${last}`;
  const signature = mac(createHash(hash).update(key).digest(), whole);
  const proof = Buffer.from(key.map((byte, i) => byte ^ (signature[i] as number)));
  const { v: verdict = '' } = fieldsOf(await send(`${last},p=${proof.toString('base64')}`));
  const given = Buffer.from(verdict, 'base64');
  const wanted = mac(mac(salted, 'Server Key'), whole);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new LoginRefused('who answers as Kafka does not know the password');
}

function fieldsOf(message: string): Record<string, string> {
  return Object.fromEntries(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
}

function mechanismsIn(shake: Buffer): string[] {
  const names: string[] = [];
  for (let left = shake.readInt32BE(6), at = 10; left > 0 && at + 2 <= shake.length; left -= 1) {
    const end = at + 2 + shake.readInt16BE(at);
    names.push(shake.toString('utf8', at + 2, end));
    at = end;
  }
  return names;
}

/** A request with header version 1, which both SASL requests use: key, version, correlation id, client id. */
function request(key: number, version: number, body: Buffer): Buffer {
  const head = Buffer.concat([int16(key), int16(version), int32(0), text('tollgate')]);
  return Buffer.concat([int32(head.length + body.length), head, body]);
}
