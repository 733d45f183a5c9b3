import type { JsonObject } from './provider.ts';
import { textTokens } from './text-tokens.ts';
import { toolOutput, type WithToolOutput } from './tool-output.ts';

/** Our own count of an answer. Units: tokens; `characters` are those of its texts. */
export interface Delivered {
  textOutput: number;
  reasoningOutput: number;
  characters: number;
  /** Answers that were told to their end, such as pictures; bytes of sound; seconds that a transcript says of itself. */
  pieces?: number;
  bytes?: number;
  seconds?: number;
  /** Searches of the web that the provider made. */
  searches?: number;
}

const base64PerSpeechToken = 3200; // 50 ms of 16-bit samples at 24 kHz
/** What Gemini counts for a picture that it draws. Source: https://ai.google.dev/gemini-api/docs/pricing */
const tokensPerDrawnImage = 1290;
const longText = 2048;
const inlineData = /(audio\/[\w.+-]{1,64}(?:;[\w.+-]{1,64}=[\w.+-]{1,64}){0,4})?;base64,([A-Za-z0-9+/=]+)/g;

/** Counts what was delivered, piece by piece, for bills that no provider writes and against bills that cannot be true. */
export class OutputMeter {
  readonly #weigh: (text: string) => number;
  #text = 0;
  #reasoning = 0;
  #characters = 0;
  readonly #marked = { text: 0, reasoning: 0, characters: 0 };

  constructor(weigh = textTokens) {
    this.#weigh = weigh;
  }

  /** A choice's message or delta, or a completion's choice. True when it says something. */
  add(piece: JsonObject): boolean {
    const reasoning = thoughtIn(piece);
    if (reasoning !== '') {
      this.#reasoning += this.#weigh(reasoning);
      this.#characters += reasoning.length;
    }
    let says = this.#addText(textOf(piece.content) || textOf(piece.text)) || reasoning !== '';
    const ran = (piece as WithToolOutput)[toolOutput];
    if (ran !== undefined) this.#leaveOut(ran);
    if (piece.refusal) says = this.#addText(textOf(piece.refusal)) || says;
    if (piece.audio) says = this.#addAudio(piece.audio as JsonObject) || says;
    if (piece.function_call) says = this.#addCall(piece.function_call as JsonObject) || says;
    if (Array.isArray(piece.images)) says = this.#addImages(piece.images) || says;
    if (!Array.isArray(piece.tool_calls)) return says;
    for (const call of piece.tool_calls as (JsonObject | null)[]) this.#addCall(call?.function as JsonObject | undefined);
    return says || piece.tool_calls.length > 0;
  }

  #leaveOut(text: string): void {
    this.#text -= this.#weigh(text);
    this.#characters -= text.length;
  }

  #addText(text: string): boolean {
    if (text === '') return false;
    const said = text.length > longText && text.includes(';base64,') ? this.#withoutImages(text) : text;
    this.#text += this.#weigh(said);
    this.#characters += said.length;
    return true;
  }

  #withoutImages(text: string): string {
    return text.replace(inlineData, (_found, sound: string | undefined, bytes: string) => {
      this.#text += sound === undefined ? tokensPerDrawnImage : bytes.length / base64PerSpeechToken;
      return '';
    });
  }

  #addCall(call: JsonObject | null | undefined): boolean {
    this.#addText(textOf(call?.name));
    this.#addText(textOf(call?.arguments));
    return true;
  }

  /** Speech is counted as text: by its words, and by its length. */
  #addAudio(audio: JsonObject): boolean {
    const says = this.#addText(textOf(audio.transcript));
    if (typeof audio.data !== 'string' || audio.data === '') return says;
    this.#text += audio.data.length / base64PerSpeechToken;
    return true;
  }

  #addImages(images: unknown[]): boolean {
    this.#text += images.length * tokensPerDrawnImage;
    return images.length > 0;
  }

  /** So far, rounded up. */
  get tokens(): Delivered {
    return rounded({ text: this.#text, reasoning: this.#reasoning, characters: this.#characters });
  }

  /** Remembers how far it is: cheaper than the count, for what is done with each piece. */
  mark(): void {
    const marked = this.#marked;
    marked.text = this.#text;
    marked.reasoning = this.#reasoning;
    marked.characters = this.#characters;
  }

  /** Up to the mark, rounded up. */
  get marked(): Delivered {
    return rounded(this.#marked);
  }
}

function rounded({ text, reasoning, characters }: Record<'text' | 'reasoning' | 'characters', number>): Delivered {
  return { textOutput: Math.ceil(text), reasoningOutput: Math.ceil(reasoning), characters };
}

/** What a message, or a piece of one, tells of its thinking, under whichever name. */
export function thoughtIn({ reasoning_content: content, reasoning, reasoning_details: details }: JsonObject): string {
  return textOf(content) || textOf(reasoning) || textOf(details);
}

/** A text, or the texts of its parts: some providers send content in parts although OpenAI sends a string. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  let text = '';
  for (const part of content as (JsonObject | string | null)[]) text += typeof part === 'string' ? part : textOfPart(part);
  return text;
}

function textOfPart(part: JsonObject | null): string {
  const said = part?.text ?? part?.refusal ?? part?.thinking ?? part?.summary;
  return typeof said === 'string' ? said : textOf(said);
}
