import type { undoRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { takeBack } from './service.ts';

export function undoHandlers(context: Context): Handlers<typeof undoRoutes> {
  return { 'POST /api/undo': ({ body, caller }) => takeBack(context, body, caller) };
}
