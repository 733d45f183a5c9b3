import { noUsage } from '@tollgate/contracts';
import {
  type ContentPart,
  heardTokens,
  type JsonObject,
  objectsIn,
  type RealtimeRequest,
  secondsOfSound,
  textTokens,
} from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Spoken sessions. What is read is one event of the caller's; each answer in it is a call of its own. */
export const realtime: ModeRules<RealtimeRequest> = {
  mode: 'realtime',
  eachText,
  weigh(event, measure) {
    const tokens = (text: string) => measure?.tokens(text) ?? textTokens(text);
    let text = 0;
    eachText(event, (said) => {
      text += tokens(said);
    });
    for (const tool of toolsOf(event)) text += tokens(JSON.stringify(tool));
    let seconds = 0;
    for (const { audio } of partsOf(event)) {
      if (typeof audio === 'string') seconds += secondsOfSound(measure?.length(audio) ?? audio.length, 'pcm16');
    }
    return {
      ...noUsage,
      textInput: Math.ceil(text),
      audioInput: Math.ceil(heardTokens(seconds)),
      imageInput: picturesIn(event) * pictureTokens,
    };
  },
  output: () => ({ maxTokens: undefined, choices: 1, isSpoken: true }),
  dialectOf: (provider) => provider.realtime,
};

/** A picture of the usual size. */
const pictureTokens = 765;

/** Whatever a caller writes in an event: what a model is told, and what is said to it. */
function eachText(event: RealtimeRequest, visit: (text: string) => void): void {
  for (const holder of [event.session, event.response]) if (typeof holder?.instructions === 'string') visit(holder.instructions);
  for (const item of itemsOf(event)) {
    for (const text of [item.output, item.arguments]) if (typeof text === 'string') visit(text);
  }
  for (const { text, transcript } of partsOf(event)) {
    if (typeof text === 'string') visit(text);
    if (typeof transcript === 'string') visit(transcript);
  }
}

function itemsOf({ item, response }: RealtimeRequest): JsonObject[] {
  return [...(item ? objectsIn([item]) : []), ...objectsIn(response?.input)];
}

function partsOf(event: RealtimeRequest): ContentPart[] {
  return itemsOf(event).flatMap(({ content }) => objectsIn(content) as ContentPart[]);
}

function toolsOf({ session, response }: RealtimeRequest): JsonObject[] {
  return [...objectsIn(session?.tools), ...objectsIn(response?.tools)];
}

function picturesIn(event: RealtimeRequest): number {
  return partsOf(event).filter(({ image_url: picture }) => picture !== undefined && picture !== null).length;
}
