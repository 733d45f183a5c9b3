import type { Usage } from '@tollgate/contracts';
import { type JsonObject, objectsIn, patchJson, thoughtIn, type WholeReading } from '@tollgate/providers';
import { carriedBy, carriedByWords, packed, type RoundTripState } from '../opaque-state.ts';
import { foundNotes } from '../sources.ts';
import { drawnIn, textOf, toolCallsIn } from '../tool-calls.ts';
import { callIds, callItem } from './call-items.ts';
import { CallersTools } from './callers-tools.ts';
import { asksCompaction, compactedResponse } from './compaction.ts';
import {
  annotationOf,
  cutShortBy,
  type Envelope,
  envelopeOf,
  itemId,
  likelihoodsIn,
  responseObject,
  stateOf,
  toResponsesUsage,
} from './response-object.ts';

/**
 * A whole answer as a response. A provider's own travels as it came, with what is charged in the place of a bill that says otherwise.
 */
export function wholeResponse(
  { body, usage, answer, head }: WholeReading,
  charged: Usage,
  sent: JsonObject,
  envelope: Envelope = envelopeOf(sent, head.id),
): Buffer {
  if (body !== undefined) {
    const isStated = usage?.trusted === true && usage.usage === charged;
    const state = stateOf(sent, envelope);
    if (isStated && state === undefined) return body;
    return patchJson(body, { set: { ...state, ...(!isStated && { usage: toResponsesUsage(charged) }) } });
  }
  if (asksCompaction(sent)) return compactedResponse(answer, { head, charged, envelope });
  const [choice] = answer.choices as JsonObject[];
  const reason = cutShortBy(choice?.finish_reason);
  const output = outputOf(choice ?? {}, {
    id: String(envelope.id),
    isWhole: reason === undefined,
    answer,
    callers: new CallersTools(sent),
  });
  const status = reason === undefined ? 'completed' : 'incomplete';
  const outcome = { status, reason, output, tier: answer.service_tier, usage: toResponsesUsage(charged) } as const;
  return Buffer.from(JSON.stringify(responseObject(head, envelope, outcome)));
}

interface Output {
  id: string;
  isWhole: boolean;
  answer: JsonObject;
  callers: CallersTools;
}

function outputOf(choice: JsonObject, { id, isWhole, answer, callers }: Output): JsonObject[] {
  const message = (choice.message ?? {}) as JsonObject;
  const status = isWhole ? 'completed' : 'incomplete';
  const calls = toolCallsIn(message.tool_calls);
  const items: JsonObject[] = [];
  const carried = carriedBy(
    objectsIn(message.thinking_blocks),
    calls.map(({ call }) => call),
    carriedByWords(message),
  );
  const thought = thoughtIn(message);
  if (thought !== '' || carried !== undefined) items.push(reasoningItem(itemId('rs', id, items.length), thought, carried));
  const content = contentOf(message, { answer, likelihoods: likelihoodsIn(choice) });
  if (content.length > 0 || calls.length === 0) {
    items.push({ id: itemId('msg', id, items.length), type: 'message', status, role: 'assistant', content });
  }
  for (const call of calls) {
    const tool = callers.calledBy(call.name);
    items.push(callItem(itemId(callIds[tool.kind], id, items.length), call, { tool, status }));
  }
  return items;
}

export function reasoningItem(id: string, thought: string, carried: RoundTripState | undefined): JsonObject {
  const summary = thought === '' ? [] : [{ type: 'summary_text', text: thought }];
  return { id, type: 'reasoning', summary, ...(carried !== undefined && { encrypted_content: packed(carried) }) };
}

function contentOf(
  { content, refusal, annotations, images }: JsonObject,
  { answer, likelihoods }: { answer: JsonObject; likelihoods: JsonObject[] },
): JsonObject[] {
  const said = textOf(content) + drawnIn(images);
  const cited = [...objectsIn(annotations), ...foundNotes(answer, said)].flatMap((note) => annotationOf(note) ?? []);
  return [
    ...(said === '' ? [] : [{ type: 'output_text', text: said, annotations: cited, logprobs: likelihoods }]),
    ...(textOf(refusal) === '' ? [] : [{ type: 'refusal', refusal: textOf(refusal) }]),
  ];
}
