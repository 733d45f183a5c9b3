import { StreamWriter } from './stream-writer.ts';

/** Writes a stream of events as one JSON array that grows: Google's form for `streamGenerateContent` without `alt=sse`. */
export class ArrayStreamWriter extends StreamWriter {
  #begun = false;

  override write(pieces: readonly (Buffer | string)[]): boolean {
    return super.write(pieces.map((piece) => this.#elements(piece)).filter((text) => text !== ''));
  }

  override end(last: Buffer | string): void {
    const elements = this.#elements(last);
    super.end(`${elements}${this.#begun ? ']' : '[]'}`);
  }

  /** The data of whole events as elements; a comment, which keeps the connection open, becomes white space. */
  #elements(events: Buffer | string): string {
    let text = '';
    for (const event of events.toString().split(/\r?\n\r?\n/)) {
      if (event === '') continue;
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length))
        .join('\n')
        .trim();
      if (data === '') text += '\n';
      else {
        text += `${this.#begun ? ',\r\n' : '['}${data}`;
        this.#begun = true;
      }
    }
    return text;
  }
}
