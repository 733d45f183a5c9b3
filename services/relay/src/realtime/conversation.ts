import { completionTokensOf, noUsage, promptTokensOf, type Usage } from '@tollgate/contracts';
import { heardTokens, type JsonObject, objectOf, objectsIn, secondsOfBytes, spokenTokensIn } from '@tollgate/providers';

/** Audio between two of a client's commits or clears. */
interface AudioSegment {
  seconds: number;
  /** How the client closed it; undefined: it is still open. */
  end: 'commit' | 'clear' | undefined;
}

/** The format that makes most seconds of a byte. */
const longestFormat = 'g711';
const mostSegments = 1_000;

/**
 * The audio that a client appended and the provider has not yet made part of the conversation. The provider works through events
 * in order and answers later, so a commit or a clear closes a segment, and the provider's confirmation takes it from the queue.
 */
class InputAudio {
  readonly #segments: AudioSegment[] = [{ seconds: 0, end: undefined }];
  /** All that was appended in this session, and the most that its bytes can last. In seconds. */
  #appended = 0;
  #longest = 0;
  #committed = 0;
  /** What the provider's turn detection found last. In seconds since the first append. */
  #turn: { itemId: string; from: number; to: number } | undefined;

  append(seconds: number, bytes: number): void {
    this.#open.seconds += seconds;
    this.#appended += seconds;
    this.#longest += secondsOfBytes(bytes, longestFormat);
  }

  /** Seconds since the last commit or clear. */
  get openSeconds(): number {
    return this.#open.seconds;
  }

  /** Commits that the provider has not confirmed. */
  get pendingCommits(): number {
    return this.#segments.filter(({ end }) => end === 'commit').length;
  }

  /** The longest that audio can last whose length is not counted yet. */
  get mostSeconds(): number {
    return Math.max(0, this.#longest - this.#committed);
  }

  get isFull(): boolean {
    return this.#segments.length >= mostSegments;
  }

  /** Closes the open segment. */
  close(end: 'commit' | 'clear'): AudioSegment {
    const segment = this.#open;
    segment.end = end;
    this.#segments.push({ seconds: 0, end: undefined });
    return segment;
  }

  /** The provider refused a commit or a clear: the audio stays in its buffer. */
  reopen(segment: AudioSegment): void {
    const at = this.#segments.indexOf(segment);
    const next = this.#segments[at + 1];
    if (at < 0 || next === undefined) return;
    next.seconds += segment.seconds;
    this.#segments.splice(at, 1);
  }

  /** Turn detection says where in all of the audio an item begins or ends. */
  heardTurn(event: JsonObject): void {
    const { item_id: itemId, audio_start_ms: start, audio_end_ms: end } = event;
    if (typeof itemId !== 'string') return;
    const known = this.#turn?.itemId === itemId ? this.#turn : { itemId, from: Number.NaN, to: Number.NaN };
    if (typeof start === 'number') known.from = start / 1000;
    if (typeof end === 'number') known.to = end / 1000;
    this.#turn = known;
  }

  /** The provider made audio an item of the conversation. Returns how many seconds. */
  committed(itemId: string): number {
    const head = this.#segments[0] as AudioSegment;
    const { itemId: turnId, from, to } = this.#turn ?? { itemId: undefined, from: Number.NaN, to: Number.NaN };
    const isCut = turnId === itemId && to >= 0;
    let { seconds } = head;
    if (!isCut && head.end === 'commit') this.#segments.shift();
    else {
      // Turn detection cuts within a segment: what lies behind the end of the turn stays.
      const later = this.#segments.reduce((sum, segment) => sum + segment.seconds, 0) - head.seconds;
      const behind = isCut ? this.#appended - later - to : 0;
      head.seconds = Math.min(seconds, Math.max(0, behind));
      seconds = isCut && to >= from ? Math.min(seconds, to - from) : seconds - head.seconds;
    }
    seconds = Math.round(seconds * 1000) / 1000; // sums of fractions: a begun second is paid whole
    this.#committed += seconds;
    return seconds;
  }

  /** The provider emptied its buffer. */
  cleared(): void {
    const at = this.#segments.findIndex(({ end }) => end === 'clear');
    this.#segments.splice(0, at + 1);
  }

  get #open(): AudioSegment {
    return this.#segments.at(-1) as AudioSegment;
  }
}

/** The audio formats of a session; undefined: not named. */
interface Formats {
  input: string | undefined;
  output: string | undefined;
}

/** What a session was told of itself, as far as its bill asks, and what the next answer's prompt is likely to weigh. */
export class Conversation {
  readonly audio = new InputAudio();
  /** As the provider confirmed them. */
  #inputFormat = 'pcm16';
  #outputFormat = 'pcm16';
  /** What `session.update` asked for and the provider has neither confirmed nor refused, oldest first. */
  readonly #asked: Formats[] = [];
  /** The longest answer that its caller wants; undefined: as long as it gets. */
  maxTokens: number | undefined;
  /** The provider hears himself when it is his turn, and answers unasked. */
  isAutomatic = true;
  #transcriber: string | undefined;
  #askedTranscriber: string | undefined;
  tools: JsonObject[] = [];
  #instructions = 0;
  #toolTokens = 0;
  /** Of all that was said so far. */
  #text = 0;
  #sound = 0;
  #pictures = 0;

  /** The names of the model that writes down what is heard: as the provider confirmed it, then as the client asked for it. None: nothing is written down. */
  get transcribers(): string[] {
    return [this.#transcriber, this.#askedTranscriber].filter((name) => name !== undefined);
  }

  /** A client asks for other settings. Returns what to do when the provider refuses them. */
  ask(session: JsonObject): () => void {
    const formats = formatsIn(session);
    this.#asked.push(formats);
    this.#settle(session, 'caller');
    return () => {
      const at = this.#asked.indexOf(formats);
      if (at >= 0) this.#asked.splice(at, 1);
    };
  }

  /** Updates that the provider has not answered. */
  get pendingUpdates(): number {
    return this.#asked.length;
  }

  /** The provider says what the session is. `isUpdate`: in answer to the oldest update. */
  confirm(session: JsonObject, { isUpdate }: { isUpdate: boolean }): void {
    if (isUpdate) this.#asked.shift();
    const { input, output } = formatsIn(session);
    this.#inputFormat = input ?? this.#inputFormat;
    this.#outputFormat = output ?? this.#outputFormat;
    this.#settle(session, 'provider');
  }

  /**
   * Takes over settings; what is not named stays. The beta names at the top what is now in `audio`. Settings that cost less (shorter
   * answers, fewer tools, no transcripts) count once the provider confirms them, because it may refuse what a client asks for.
   */
  #settle(session: JsonObject, by: 'caller' | 'provider'): void {
    const heard = objectOf(objectOf(session.audio).input);
    const limit = session.max_output_tokens ?? session.max_response_output_tokens;
    const longest = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
    const isLonger = longest > (this.maxTokens ?? Number.POSITIVE_INFINITY);
    if (limit !== undefined && (by === 'provider' || isLonger)) this.maxTokens = Number.isFinite(longest) ? longest : undefined;
    const turns = told(session, 'turn_detection') ?? told(heard, 'turn_detection');
    if (turns !== undefined) {
      const isAutomatic = turns.value !== null && objectOf(turns.value).create_response !== false;
      this.isAutomatic = isAutomatic || (by === 'caller' && this.isAutomatic);
    }
    const transcription = told(session, 'input_audio_transcription') ?? told(heard, 'transcription');
    if (transcription !== undefined) {
      const model = modelIn(transcription.value);
      if (by === 'provider') this.#transcriber = model;
      if (by === 'caller' ? model !== undefined : model === undefined) this.#askedTranscriber = model;
    }
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

  /** Audio was appended. Of formats not confirmed yet the one counts that makes most seconds. */
  heard(bytes: number): void {
    this.audio.append(this.secondsOf(bytes), bytes);
  }

  /** How long a piece of input audio lasts, at the most. */
  secondsOf(bytes: number): number {
    const asked = this.#asked.flatMap(({ input }) => (input === undefined ? [] : [input]));
    return Math.max(...[this.#inputFormat, ...asked].map((format) => secondsOfBytes(bytes, format)));
  }

  /** The format of the provider's audio; of those not confirmed yet the one that makes more seconds. */
  get outputFormat(): string {
    const asked = this.#asked.flatMap(({ output }) => (output === undefined ? [] : [output]));
    const longer = asked.find((format) => secondsOfBytes(1, format) > secondsOfBytes(1, this.#outputFormat));
    return longer ?? this.#outputFormat;
  }

  /** Audio became an item of the conversation. Returns how many seconds. */
  committed(itemId: string): number {
    const seconds = this.audio.committed(itemId);
    this.#sound += heardTokens(seconds);
    return seconds;
  }

  /** The prompt of an answer that begins now. */
  weigh(): Usage {
    return {
      ...noUsage,
      textInput: Math.ceil(this.#instructions + this.#toolTokens + this.#text),
      audioInput: Math.ceil(this.#sound + heardTokens(this.audio.openSeconds)),
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

function modelIn(transcription: unknown): string | undefined {
  return typeof transcription === 'object' && transcription !== null ? transcriberIn(transcription) : undefined;
}

/** Transcription settings that name no model mean OpenAI's first one. */
export function transcriberIn(transcription: unknown): string {
  const { model } = objectOf(transcription);
  return typeof model === 'string' ? model : 'whisper-1';
}

function formatsIn(session: JsonObject): Formats {
  const { input, output } = objectOf(session.audio);
  return {
    input: formatOf(session.input_audio_format ?? objectOf(input).format),
    output: formatOf(session.output_audio_format ?? objectOf(output).format),
  };
}

function formatOf(format: unknown): string | undefined {
  const name = typeof format === 'object' && format !== null ? (format as JsonObject).type : format;
  return typeof name === 'string' ? name.slice(0, 32) : undefined;
}
