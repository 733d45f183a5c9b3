import type { openApiRoutes } from '@tollgate/contracts';
import type { Handlers } from '../../http/handlers.ts';
import { apiDocument } from './document.ts';

/** Made once, when it is first asked for. */
let document: object | undefined;

export const openApiHandlers: Handlers<typeof openApiRoutes> = {
  'GET /api/openapi.json': ({ res }) => {
    document ??= apiDocument();
    res.json(document);
  },
};
