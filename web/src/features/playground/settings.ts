import { newId } from '../../shared/new-id.ts';
import { remember, remembered } from '../../shared/preferences.ts';
import { type Conversation, emptyConversation, settled } from './conversation.ts';

export interface Parameters {
  group: string;
  /** Null leaves it to the model. */
  temperature: number | null;
  /** 0 leaves it to the model. */
  maxTokens: number;
  system: string;
  /** A JSON array of tools, as OpenAI's API takes them; '' for none. */
  tools: string;
}

/** One model's side of the page. */
export interface Pane {
  id: string;
  model: string;
  conversation: Conversation;
}

export interface Kept {
  parameters: Parameters;
  panes: Pane[];
}

export const usualModel = 'gpt-4o-mini';
export const mostPanes = 4;
export const usualTemperature = 0;
const firstParameters: Parameters = { group: '', temperature: usualTemperature, maxTokens: 0, system: '', tools: '' };

/** What this browser keeps of somebody's playground. Nothing of it goes to the server. */
export function keptFor(userId: number): Kept {
  try {
    const { parameters, panes } = JSON.parse(remembered(keyOf(userId)) ?? '{}') as Partial<Kept>;
    const known = (panes ?? []).filter(isPane).slice(0, mostPanes);
    return {
      parameters: { ...firstParameters, ...parameters },
      panes: known.length > 0 ? known.map((pane) => ({ ...pane, conversation: settled(pane.conversation) })) : [newPane('')],
    };
  } catch {
    return { parameters: firstParameters, panes: [newPane('')] };
  }
}

/** Pictures are left out: a browser keeps some millions of characters, and a picture may have as many. */
export function keep(userId: number, { parameters, panes }: Kept): void {
  remember(
    keyOf(userId),
    JSON.stringify({ parameters, panes }, (name, value: unknown) => (name === 'images' ? undefined : value)),
  );
}

export function newPane(model: string, conversation = emptyConversation): Pane {
  return { id: newId(), model, conversation };
}

function isPane(pane: unknown): pane is Pane {
  const { id, model, conversation } = (pane ?? {}) as Partial<Pane>;
  return typeof id === 'string' && typeof model === 'string' && typeof conversation?.turns === 'object';
}

function keyOf(userId: number): string {
  return `playground:${userId}`;
}
