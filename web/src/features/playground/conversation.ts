/** A tool that a model wants to be called. */
export interface ToolCall {
  name: string;
  /** JSON, as far as it has come. */
  arguments: string;
}

/** How many tokens an answer took. */
export interface TokensUsed {
  input: number;
  output: number;
}

export type TurnStatus = 'loading' | 'incomplete' | 'complete' | 'error';

/** What one side said. `incomplete` was stopped, or broke off. */
export interface Turn {
  id: string;
  /** What it follows; null begins the conversation. */
  parent: string | null;
  role: 'user' | 'assistant';
  text: string;
  status: TurnStatus;
  /** Pictures of the user's, as data: addresses. */
  images?: string[];
  reasoning?: string;
  tools?: ToolCall[];
  error?: string;
  used?: TokensUsed;
  model?: string;
  group?: string;
  /** Milliseconds to the first word, and to the last. */
  firstMs?: number;
  totalMs?: number;
}

/** A conversation with its branches: a question that was edited and an answer that was asked for again stay beside the newer one. */
export interface Conversation {
  turns: Record<string, Turn>;
  /** The last turn of the branch that is shown; null is an empty conversation. */
  leaf: string | null;
}

export const emptyConversation: Conversation = { turns: {}, leaf: null };

/** The turns of the branch that is shown, the first one first. */
export function pathOf({ turns, leaf }: Conversation): Turn[] {
  const path: Turn[] = [];
  for (let at = leaf === null ? undefined : turns[leaf]; at; at = at.parent === null ? undefined : turns[at.parent]) path.unshift(at);
  return path;
}

/** Those that stand at the same place, this one included, the oldest first. */
export function versionsOf({ turns }: Conversation, turn: Turn): Turn[] {
  return Object.values(turns).filter(({ parent, role }) => parent === turn.parent && role === turn.role);
}

/** With a turn more, at the end of its branch, which is now shown. */
export function withTurn({ turns }: Conversation, turn: Turn): Conversation {
  return { turns: { ...turns, [turn.id]: turn }, leaf: turn.id };
}

/** With a turn changed; as it was where the turn is gone. */
export function withChange(conversation: Conversation, id: string, change: Partial<Turn>): Conversation {
  const turn = conversation.turns[id];
  if (!turn) return conversation;
  return { ...conversation, turns: { ...conversation.turns, [id]: { ...turn, ...change } } };
}

/** With another version shown, to the end of what followed it last. */
export function showing(conversation: Conversation, id: string): Conversation {
  let leaf = id;
  for (;;) {
    const next = Object.values(conversation.turns).findLast(({ parent }) => parent === leaf);
    if (!next) return { ...conversation, leaf };
    leaf = next.id;
  }
}

/** A conversation as it is kept: what was on its way when the page was left did not come. */
export function settled(conversation: Conversation): Conversation {
  const turns = Object.fromEntries(
    Object.entries(conversation.turns).map(([id, turn]) => [
      id,
      turn.status === 'loading' ? { ...turn, status: 'incomplete' as const } : turn,
    ]),
  );
  return { ...conversation, turns };
}
