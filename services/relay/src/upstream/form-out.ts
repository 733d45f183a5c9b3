import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@tollgate/providers';
import type { Form, FormFile } from '../request/form-body.ts';
import type { StreamedBody } from './exchange.ts';

/** A form anew: fields as they are to be, files as they came. */
export function formBody(fields: JsonObject, { files, spool }: Form): StreamedBody & { contentType: string } {
  const boundary = `----tollgate-${randomBytes(18).toString('base64url')}`;
  const heads = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => fieldPart(boundary, name, one)),
  );
  const start = Buffer.from(heads.join(''));
  const fileHeads = files.map((file) => Buffer.from(fileHead(boundary, file)));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = files.reduce(
    (sum, { from, to }, at) => sum + (fileHeads[at]?.length ?? 0) + to - from + lineEnd.length,
    start.length + end.length,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    async *pieces() {
      yield start;
      for (const [at, { from, to }] of files.entries()) {
        yield fileHeads[at] as Buffer;
        yield* spool.read(from, to);
        yield lineEnd;
      }
      yield end;
    },
  };
}

/** The one file of a form, alone. */
export function fileBody({ files, spool }: Form): StreamedBody & { contentType: string } {
  const { from, to } = files[0] ?? { from: 0, to: 0 };
  return { contentType: 'application/octet-stream', length: to - from, pieces: () => spool.read(from, to) };
}

const lineEnd = Buffer.from('\r\n');

function fieldPart(boundary: string, name: string, value: unknown): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${String(value)}\r\n`;
}

function fileHead(boundary: string, { field, name, type }: FormFile): string {
  const told = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(name || 'file')}"\r\nContent-Type: ${told}\r\n\r\n`;
}

/** As browsers write names. Source: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
