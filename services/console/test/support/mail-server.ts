import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
export interface Received {
  to: string[];
  from: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailServer {
  port: number;
  received: Received[];
  close(): Promise<void>;
}

export const mailAccount = { user: 'site@example.com', pass: 'canary-smtp' };

/** A mail server that keeps what it is sent, from whoever knows its account. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === mailAccount.user && password === mailAccount.pass) callback(null, { user: username });
      else callback(new Error('535 wrong account'));
    },
    onData(stream, { envelope }, callback) {
      text(stream).then((raw) => {
        received.push({ to: envelope.rcptTo.map(({ address }) => address), ...read(raw) });
        callback();
      }, callback);
    },
    ...options,
  });
  server.on('error', () => {}); // of a connection that a test cuts
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The parts of a mail that a reader sees (https://www.rfc-editor.org/rfc/rfc2045, rfc2047). */
function read(raw: string): Omit<Received, 'to'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => part.trim());
  const partOf = (type: string) => {
    const [partHead = '', ...lines] = (parts.find((part) => part.startsWith(`Content-Type: ${type}`)) ?? '').split('\r\n\r\n');
    return decoded(lines.join('\r\n\r\n'), /Transfer-Encoding: (\S+)/i.exec(partHead)?.[1]);
  };
  return { from: header(head, 'From'), subject: header(head, 'Subject'), text: partOf('text/plain'), html: partOf('text/html') };
}

function header(head: string, name: string): string {
  const line = new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'm').exec(head)?.[1] ?? '';
  return line
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_whole, kind: string, coded: string) =>
      decoded(kind.toUpperCase() === 'Q' ? coded.replaceAll('_', ' ') : coded, kind.toUpperCase() === 'Q' ? 'quoted-printable' : 'base64'),
    );
}

function decoded(coded: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(coded, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return coded;
  const bytes = coded
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
