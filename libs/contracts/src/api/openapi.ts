import { route } from './route.ts';

export const openApiRoutes = {
  'GET /api/openapi.json': route({ summary: 'This document', access: 'anyone', csrfExempt: true, raw: 'application/json' }),
};
