// What a character costs, in quarters of a token. Measured against no tokenizer: runs and classes are enough for a reservation.
const perToken = 4;
const lettersOfOneToken = 7; // each further letter is a quarter
const digitsPerToken = 3;
// One blank belongs to the word after it; a run of line ends or of indentation is about one token for every four.
const perBlank = 1;
const perLineEnd = 4;
const perSign = 3;
const perOtherLetter = 2;
const perCjk = perToken;

// Classes of bytes of UTF-8: what begins a character says which one it is, nearly.
const letter = 0;
const digit = 1;
const blank = 2;
const lineEnd = 3;
const sign = 4;
/** Begins a character of two bytes, or one of three that is no CJK. */
const otherLetter = 5;
/** Begins a character of three bytes; those from U+2E80 on are CJK. */
const mixed = 6;
const cjk = 7;
/** Begins a character of four bytes, which is two in UTF-16. */
const pair = 8;
const continuation = 9;
const backslash = 10;
const wrong = 11;

const classOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)) return letter;
  if (byte >= 0x30 && byte <= 0x39) return digit;
  if (byte === 0x20) return blank;
  if (byte < 0x20) return lineEnd;
  if (byte < 0x80) return sign;
  if (byte < 0xc0) return continuation;
  if (byte < 0xc2 || byte > 0xf4) return cjk; // no UTF-8: whoever reads it puts U+FFFD there
  if (byte < 0xe2) return otherLetter;
  if (byte === 0xe2) return mixed;
  return byte < 0xf0 ? cjk : pair;
});
const firstCjkAfterMixed = 0xba;
const perBeginning = Uint8Array.of(0, 0, 0, 0, 0, perOtherLetter, perOtherLetter, perCjk, 2 * perCjk);
/** How many bytes a character has after this one. */
const dueAfter = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0xc2 || byte > 0xf4) return 0;
  if (byte < 0xe0) return 1;
  return byte < 0xf0 ? 2 : 3;
});
/** The same between the quotes of JSON. */
const jsonClassOf = classOf.map((kind, byte) => {
  if (kind === lineEnd) return wrong;
  return byte === 0x5c ? backslash : kind;
});
/** What stands behind a backslash, for escapes of one sign. */
const escapeClassOf = classOf.map((_, byte) => {
  const escaped = String.fromCharCode(byte);
  if ('nrtbf'.includes(escaped)) return lineEnd;
  return '"\\/'.includes(escaped) ? sign : wrong;
});

const space = 0x20;
const mostCharacters = 16 * 1024;
const scratch = Buffer.allocUnsafeSlow(3 * mostCharacters);
const fewSigns = 48;

/**
 * About how many tokens a text is, not rounded. Words, numbers, signs and scripts are weighed apart: a long run costs by its
 * length, so text made to look short is not. One pass, no memory; units: tokens.
 */
export function textTokens(text: string): number {
  const scale = new TextScale();
  scale.addText(text);
  return scale.tokens();
}

/** Weighs a text that comes in pieces, as `textTokens` weighs it in one. */
export class TextScale {
  #quarters = 0;
  /** Letters that the word which is open has so far. */
  #letters = 0;
  #digits = 0;
  #blanks = 0;
  /** Bytes that the character which is open still has. */
  #due = 0;
  #isMixed = false;
  /** The escape that is open, so far. */
  #escape = '';

  addText(text: string): void {
    for (let at = 0; at < text.length; at += mostCharacters) {
      const piece = text.length <= mostCharacters ? text : text.slice(at, at + mostCharacters);
      this.#add(scratch, { from: 0, to: written(piece), classes: classOf });
    }
  }

  /** A piece of what stands between the quotes of a JSON string, as it stands there; it may be cut anywhere. Throws: SyntaxError. */
  addJson(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const isEscape = this.#escape !== '' || bytes[at] === 0x5c;
      at = isEscape ? this.#addEscape(bytes, at) : this.#add(bytes, { from: at, to: bytes.length, classes: jsonClassOf });
    }
  }

  /** Throws: SyntaxError when the text ends within an escape. */
  tokens(): number {
    if (this.#escape !== '') throw new SyntaxError('an escape breaks off');
    return this.#quarters / perToken;
  }

  /** Weighs up to `to`, or up to an escape of more than one sign; returns where it stopped. Throws: SyntaxError. */
  #add(bytes: Uint8Array, { from, to, classes }: { from: number; to: number; classes: Uint8Array }): number {
    let quarters = this.#quarters;
    let letters = this.#letters;
    let digits = this.#digits;
    let blanks = this.#blanks;
    let at = from;
    while (at < to) {
      let kind = classes[bytes[at] as number] as number;
      if (kind === letter) {
        const start = at;
        do at += 1;
        while (at < to && classes[bytes[at] as number] === letter);
        const run = at - start;
        quarters += letters === 0 ? perWord(run) : perWord(letters + run) - perWord(letters);
        letters += run;
        if (at < to && bytes[at] === space) {
          // As below, without asking what it is: nearly always a blank stands behind a word.
          at += 1;
          letters = 0;
          digits = 0;
          blanks += perBlank;
          if (blanks >= perToken) {
            quarters += perToken;
            blanks = -3 * perToken;
          }
        }
        continue;
      }
      if (kind === backslash) {
        kind = at + 1 < to ? (escapeClassOf[bytes[at + 1] as number] as number) : wrong;
        if (kind === wrong) break;
        at += 1;
      }
      letters = 0;
      if (kind === digit) {
        if (digits % digitsPerToken === 0) quarters += perToken;
        digits += 1;
      } else {
        digits = 0;
        if (kind <= lineEnd) {
          blanks += kind === blank ? perBlank : perLineEnd;
          if (blanks >= perToken) {
            quarters += perToken;
            blanks = -3 * perToken;
          }
        } else {
          blanks = 0;
          quarters += kind === sign ? perSign : this.#other(kind, bytes[at] as number);
        }
      }
      at += 1;
    }
    this.#quarters = quarters;
    this.#letters = letters;
    this.#digits = digits;
    this.#blanks = blanks;
    return at;
  }

  /** What a byte of another script costs, or one that may not stand there. */
  #other(kind: number, byte: number): number {
    if (kind === wrong) throw new SyntaxError('a control character stands in a text');
    if (kind === continuation) return this.#continued(byte);
    this.#isMixed = kind === mixed;
    this.#due = dueAfter[byte] as number;
    return perBeginning[kind] as number;
  }

  /** A byte of a character that has begun; one of none is no UTF-8, and read as U+FFFD. */
  #continued(byte: number): number {
    if (this.#due === 0) return perCjk;
    this.#due -= 1;
    const isCjk = this.#isMixed && byte >= firstCjkAfterMixed;
    this.#isMixed = false;
    return isCjk ? perCjk - perOtherLetter : 0;
  }

  /** An escape of more than one sign, or one that a piece ends in; returns where it ends, or the piece. */
  #addEscape(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      this.#escape += String.fromCharCode(bytes[at] as number);
      const isWhole = this.#escape.length === (this.#escape[1] === 'u' ? 6 : 2);
      if (!isWhole) continue;
      this.addText(JSON.parse(`"${this.#escape}"`) as string); // half a pair weighs half of it
      this.#escape = '';
      return at + 1;
    }
    return bytes.length;
  }
}

/** Puts a text into `scratch`; returns where it ends. A short one of ASCII sign by sign: pieces of answers are many, and a call of Node's own costs more. */
function written(text: string): number {
  if (text.length > fewSigns) return scratch.write(text);
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign >= 0x80) return scratch.write(text);
    scratch[at] = sign;
  }
  return text.length;
}

function perWord(letters: number): number {
  return letters <= lettersOfOneToken ? perToken : perToken + letters - lettersOfOneToken;
}

/** How texts of a request are measured: as they stand, or some other way where not all of them stand there. */
export interface TextMeasure {
  tokens(text: string): number;
  length(text: string): number;
}

export const asItStands: TextMeasure = { tokens: textTokens, length: (text) => text.length };
