import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { newId } from '../../shared/new-id.ts';
import { loadPart } from '../../shared/parts.ts';
import { type Conversation, emptyConversation, pathOf, showing, type ToolCall, type Turn, withChange, withTurn } from './conversation.ts';
import { requestOf } from './request-of.ts';
import { type Kept, keep, keptFor, mostPanes, newPane, type Pane, type Parameters } from './settings.ts';
import type { AnswerPiece } from './stream-chat.ts';

/** What has come is shown this often: each piece by itself would be drawn far more often than anybody sees. */
const showEveryMs = 100;

export interface Playground extends Kept, Deeds {
  isAnswering: boolean;
}

interface Deeds {
  setParameters: (change: Partial<Parameters>) => void;
  addPane: (model: string) => void;
  removePane: (id: string) => void;
  setModel: (id: string, model: string) => void;
  /** Puts a question to every model. */
  send: (text: string, images: string[]) => void;
  /** Asks for another answer to the same question. */
  retry: (pane: Pane, answer: Turn) => void;
  /** Puts a question otherwise, as another branch. */
  edit: (pane: Pane, question: Turn, text: string) => void;
  show: (pane: Pane, turn: Turn) => void;
  /** Goes on from here in a pane of its own. */
  branch: (pane: Pane, turn: Turn) => void;
  stop: () => void;
  clear: () => void;
}

/** The playground of one person: what was said, what is being answered, all of it kept in this browser. */
export function usePlayground(userId: number): Playground {
  const [state, setState] = useState<Kept>(() => keptFor(userId));
  const [answering, setAnswering] = useState(0);
  const latest = useRef(state);
  latest.current = state;
  const running = useRef(new Map<string, AbortController>());

  const change = useCallback((next: (before: Kept) => Kept) => {
    latest.current = next(latest.current);
    setState(latest.current);
  }, []);
  const changePane = useCallback(
    (id: string, next: (before: Pane) => Pane) =>
      change((before) => ({ ...before, panes: before.panes.map((pane) => (pane.id === id ? next(pane) : pane)) })),
    [change],
  );
  const stop = useCallback(() => {
    for (const each of running.current.values()) each.abort();
  }, []);
  useEffect(() => stop, [stop]);
  // Kept when an answer has ended, not at each piece of it.
  useEffect(() => {
    if (answering === 0) keep(userId, state);
  }, [userId, state, answering]);

  const answer = useCallback(
    async (paneId: string, question: Turn): Promise<void> => {
      const pane = latest.current.panes.find(({ id }) => id === paneId);
      if (!pane) return;
      const { parameters } = latest.current;
      const turn: Turn = {
        id: newId(),
        parent: question.id,
        role: 'assistant',
        text: '',
        status: 'loading',
        model: pane.model,
        group: parameters.group,
      };
      const asked = pathOf({ ...pane.conversation, leaf: question.id });
      const update = (next: (conversation: Conversation) => Conversation): void =>
        changePane(paneId, (before) => ({ ...before, conversation: next(before.conversation) }));
      update((conversation) => withTurn(conversation, turn));
      const abort = new AbortController();
      running.current.set(turn.id, abort);
      setAnswering(running.current.size);
      const begun = performance.now();
      const gathered = gathering(begun);
      const timer = setInterval(() => {
        if (gathered.isNew()) update((conversation) => withChange(conversation, turn.id, gathered.turn()));
      }, showEveryMs);
      const end = (status: Turn['status'], error?: string): void =>
        update((conversation) =>
          withChange(conversation, turn.id, {
            ...gathered.turn(),
            status,
            totalMs: Math.round(performance.now() - begun),
            ...(error !== undefined && { error }),
          }),
        );
      try {
        const { streamChat } = await loadPart(() => import('./stream-chat.ts'));
        await streamChat(requestOf(pane.model, asked, parameters), { userId, signal: abort.signal, onPiece: gathered.take });
        end('complete');
      } catch (error) {
        if (abort.signal.aborted) end('incomplete');
        else end('error', error instanceof Error && error.name === 'AnswerError' ? error.message : undefined);
      } finally {
        clearInterval(timer);
        running.current.delete(turn.id);
        setAnswering(running.current.size);
      }
    },
    [changePane, userId],
  );

  const ask = useCallback(
    (pane: Pane, parent: string | null, text: string, images: string[] = []) => {
      const question: Turn = {
        id: newId(),
        parent,
        role: 'user',
        text,
        status: 'complete',
        ...(images.length > 0 && { images }),
      };
      changePane(pane.id, (before) => ({ ...before, conversation: withTurn(before.conversation, question) }));
      void answer(pane.id, question);
    },
    [answer, changePane],
  );

  // They stay the same while an answer comes: what is drawn by them need not be drawn again.
  const deeds = useMemo(
    (): Deeds => ({
      setParameters: (part) => change((before) => ({ ...before, parameters: { ...before.parameters, ...part } })),
      addPane: (model) => change((before) => ({ ...before, panes: [...before.panes, newPane(model)].slice(0, mostPanes) })),
      removePane: (id) => change((before) => ({ ...before, panes: before.panes.filter((pane) => pane.id !== id) })),
      setModel: (id, model) => changePane(id, (pane) => ({ ...pane, model })),
      send: (text, images) => {
        for (const pane of latest.current.panes) ask(pane, pane.conversation.leaf, text, images);
      },
      retry: (pane, turn) => {
        const question = turn.parent === null ? undefined : pane.conversation.turns[turn.parent];
        if (question) void answer(pane.id, question);
      },
      edit: (pane, question, text) => ask(pane, question.parent, text, question.images),
      show: (pane, turn) => changePane(pane.id, (before) => ({ ...before, conversation: showing(before.conversation, turn.id) })),
      branch: (pane, turn) =>
        change((before) => ({
          ...before,
          panes: [...before.panes, newPane(pane.model, { ...pane.conversation, leaf: turn.id })].slice(0, mostPanes),
        })),
      stop,
      clear: () => {
        stop();
        change((before) => ({ ...before, panes: before.panes.map((pane) => ({ ...pane, conversation: emptyConversation })) }));
      },
    }),
    [change, changePane, ask, answer, stop],
  );
  return { ...state, isAnswering: answering > 0, ...deeds };
}

/** Puts the pieces of an answer together. */
function gathering(begun: number) {
  let text = '';
  let reasoning = '';
  const tools: ToolCall[] = [];
  let rest: Partial<Turn> = {};
  let isNew = false;
  return {
    isNew: () => isNew,
    take(piece: AnswerPiece): void {
      isNew = true;
      if (rest.firstMs === undefined && (piece.text || piece.reasoning || piece.tools))
        rest = { ...rest, firstMs: Math.round(performance.now() - begun) };
      text += piece.text ?? '';
      reasoning += piece.reasoning ?? '';
      for (const part of piece.tools ?? []) {
        const known = tools[part.index] ?? { name: '', arguments: '' };
        tools[part.index] = { name: known.name + (part.name ?? ''), arguments: known.arguments + (part.arguments ?? '') };
      }
      if (piece.used) rest = { ...rest, used: piece.used };
    },
    turn(): Partial<Turn> {
      isNew = false;
      return { text, ...(reasoning && { reasoning }), ...(tools.length > 0 && { tools: tools.filter(Boolean) }), ...rest };
    },
  };
}
