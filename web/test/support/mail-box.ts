import { createServer, type Socket } from 'node:net';

export interface MailBox {
  port: number;
  /** The mails that arrived, as readers without HTML see them. */
  texts: string[];
  close(): void;
}

/** A mail server that takes whatever it is sent (https://www.rfc-editor.org/rfc/rfc5321). */
export async function openMailBox(): Promise<MailBox> {
  const texts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let waiting = '';
    let isLetter = false;
    socket.setEncoding('utf8').write('220 box\r\n');
    socket.on('data', (part) => {
      waiting += part;
      for (;;) {
        const end = isLetter ? '\r\n.\r\n' : '\r\n';
        const at = waiting.indexOf(end);
        if (at < 0) return;
        const piece = waiting.slice(0, at);
        waiting = waiting.slice(at + end.length);
        if (isLetter) texts.push(textOf(piece));
        isLetter = !isLetter && piece === 'DATA';
        socket.write(replyTo(piece, isLetter));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    texts,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function replyTo(piece: string, isLetter: boolean): string {
  if (isLetter) return '354 go on\r\n';
  return piece === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n';
}

/** The plain part of a letter; what the console writes in English is quoted-printable at most. */
function textOf(letter: string): string {
  const [, plain = ''] = letter.split('Content-Type: text/plain');
  const body = plain.slice(plain.indexOf('\r\n\r\n') + 4).split('\r\n--')[0] ?? '';
  return body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
