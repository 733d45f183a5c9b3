import { z } from 'zod';
import { route } from './route.ts';

/** Body of POST /api/undo: the `undo` that stood in the answer to the deed. */
export const undoBody = z.strictObject({ id: z.string().min(1).max(64) });
export type UndoBody = z.infer<typeof undoBody>;

/** So many of so many rows are again what they were; the others were changed since, or are gone. */
export const undoResult = z.object({ undone: z.number(), of: z.number() });
export type UndoResult = z.infer<typeof undoResult>;

export const undoRoutes = {
  'POST /api/undo': route({
    summary: 'Takes back what the caller did some minutes ago, once, wherever nobody has changed the same since',
    access: 'user',
    body: undoBody,
    answer: undoResult,
    needs: 'something that was done lately',
    example: { body: { id: 'undo-of-the-answer' } },
  }),
};
