import { completionTokensOf, noUsage, promptTokensOf, type Usage } from '@tollgate/contracts';
import { heardTokens, type JsonObject, secondsOfSound, spokenTokensIn } from '@tollgate/providers';
import { objectsIn } from '../dialects/content.ts';

/** What a session was told of itself, as far as its bill asks, and what the next answer's prompt is likely to weigh. */
export class Conversation {
  inputFormat = 'pcm16';
  outputFormat = 'pcm16';
  /** The longest answer that its caller wants; undefined: as long as it gets. */
  maxTokens: number | undefined;
  /** The provider hears himself when it is his turn, and answers unasked. */
  isAutomatic = true;
  /** The model that writes down what is heard; undefined: none does. */
  transcribedBy: string | undefined;
  tools: JsonObject[] = [];
  #instructions = 0;
  #toolTokens = 0;
  /** Of all that was said so far. */
  #text = 0;
  #sound = 0;
  #pictures = 0;
  /** Of sound that is not part of the conversation yet. */
  #waitingSeconds = 0;

  /**
   * Takes over what a session is told to be; what is not named stays. The beta says at the top what now stands in `audio`. That it is to cost less (shorter
   * answers, fewer tools, no transcripts) is so when the provider says it: what a caller asks for may be refused.
   */
  settle(session: JsonObject, by: 'caller' | 'provider'): void {
    const { input, output } = objectOf(session.audio);
    const heard = objectOf(input);
    this.inputFormat = formatOf(session.input_audio_format ?? heard.format) ?? this.inputFormat;
    this.outputFormat = formatOf(session.output_audio_format ?? objectOf(output).format) ?? this.outputFormat;
    const limit = session.max_output_tokens ?? session.max_response_output_tokens;
    const longest = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
    const isLonger = longest > (this.maxTokens ?? Number.POSITIVE_INFINITY);
    if (limit !== undefined && (by === 'provider' || isLonger)) this.maxTokens = Number.isFinite(longest) ? longest : undefined;
    const turns = told(session, 'turn_detection') ?? told(heard, 'turn_detection');
    if (turns !== undefined) this.isAutomatic = turns.value !== null && objectOf(turns.value).create_response !== false;
    const transcription = told(session, 'input_audio_transcription') ?? told(heard, 'transcription');
    if (transcription !== undefined)
      this.transcribedBy = modelIn(transcription.value) ?? (by === 'caller' ? this.transcribedBy : undefined);
    if (Array.isArray(session.tools)) {
      const tools = objectsIn(session.tools);
      this.tools = by === 'provider' ? tools : withTools(this.tools, tools);
    }
  }

  /** What a session was told weighs so much. */
  told(session: JsonObject, { textInput }: Usage): void {
    if (typeof session.instructions === 'string') this.#instructions = textInput;
    if (Array.isArray(session.tools)) this.#toolTokens = typeof session.instructions === 'string' ? 0 : textInput;
  }

  said(weight: Usage): void {
    this.#text += weight.textInput;
    this.#sound += weight.audioInput;
    this.#pictures += weight.imageInput;
  }

  /** Sound that came, by the length of its base64. */
  heard(length: number): void {
    this.#waitingSeconds += secondsOfSound(length, this.inputFormat);
  }

  /** How long the sound lasts that waits to be part of the conversation. */
  get waitingSeconds(): number {
    return this.#waitingSeconds;
  }

  /** The sound that waited is part of the conversation now. */
  committed(): void {
    this.#sound += heardTokens(this.#waitingSeconds);
    this.#waitingSeconds = 0;
  }

  cleared(): void {
    this.#waitingSeconds = 0;
  }

  /** The prompt of an answer that begins now. */
  weigh(): Usage {
    return {
      ...noUsage,
      textInput: Math.ceil(this.#instructions + this.#toolTokens + this.#text),
      audioInput: Math.ceil(this.#sound + heardTokens(this.#waitingSeconds)),
      imageInput: this.#pictures,
    };
  }

  /** The provider has counted all of it, and what was answered. */
  counted(done: JsonObject, usage: Usage): void {
    const all = promptTokensOf(usage) + completionTokensOf(usage);
    this.#sound = Math.min(all, spokenTokensIn(done));
    this.#pictures = usage.imageInput;
    this.#text = Math.max(0, all - this.#sound - this.#pictures - this.#instructions - this.#toolTokens);
  }
}

/** New tools, and of the old ones those of other types. */
function withTools(before: JsonObject[], tools: JsonObject[]): JsonObject[] {
  return [...tools, ...before.filter((old) => tools.every((tool) => tool.type !== old.type))];
}

/** What is said of a field, null too; undefined: nothing. */
function told(holder: JsonObject, field: string): { value: unknown } | undefined {
  return field in holder ? { value: holder[field] } : undefined;
}

/** A session without a name for its transcripts' model has OpenAI's first one. */
function modelIn(transcription: unknown): string | undefined {
  if (typeof transcription !== 'object' || transcription === null) return undefined;
  const { model } = transcription as JsonObject;
  return typeof model === 'string' ? model : 'whisper-1';
}

function formatOf(format: unknown): string | undefined {
  const name = typeof format === 'object' && format !== null ? (format as JsonObject).type : format;
  return typeof name === 'string' ? name.slice(0, 32) : undefined;
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
