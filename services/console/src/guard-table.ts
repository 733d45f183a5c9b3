/** Who may use a route: anyone, or a signed-in user of at least this rank. */
export type Access = 'anyone' | 'user' | 'admin' | 'root';

/**
 * Every route of the console and the lowest rank that may use it; what does not stand here does not exist. The order counts:
 * a path with a parameter comes after those it would swallow. Both forms of a trailing slash are answered.
 */
export const guardTable = {
  'GET /api/status': 'anyone',
  'GET /api/status/test': 'admin',
  'GET /api/notice': 'anyone',
  'GET /api/about': 'anyone',
  'GET /api/home_page_content': 'anyone',
  'GET /api/pricing': 'anyone',
  'GET /api/models': 'user',

  'POST /api/user/login': 'anyone',
  'GET /api/user/logout': 'anyone',
  'GET /api/user/groups': 'anyone',
  'GET /api/user/self': 'user',
  'PUT /api/user/self': 'user',
  'DELETE /api/user/self': 'user',
  'GET /api/user/self/groups': 'user',
  'GET /api/user/models': 'user',
  'GET /api/user/token': 'user',
  'GET /api/user/aff': 'user',
  'PUT /api/user/setting': 'user',
  'GET /api/user': 'admin',
  'GET /api/user/search': 'admin',
  'POST /api/user': 'admin',
  'PUT /api/user': 'admin',
  'POST /api/user/manage': 'admin',
  'GET /api/user/:id': 'admin',
  'DELETE /api/user/:id': 'admin',
  'GET /api/group': 'admin',

  'GET /api/token': 'user',
  'GET /api/token/search': 'user',
  'GET /api/token/:id': 'user',
  'POST /api/token': 'user',
  'PUT /api/token': 'user',
  'DELETE /api/token/:id': 'user',

  'GET /api/channel': 'admin',
  'GET /api/channel/search': 'admin',
  'GET /api/channel/models': 'admin',
  'GET /api/channel/fetch_models/:id': 'admin',
  'POST /api/channel/fetch_models': 'admin',
  'GET /api/channel/test': 'admin',
  'GET /api/channel/test/:id': 'admin',
  'GET /api/channel/update_balance': 'admin',
  'GET /api/channel/update_balance/:id': 'admin',
  'DELETE /api/channel/disabled': 'admin',
  'POST /api/channel/batch': 'admin',
  'POST /api/channel/batch/tag': 'admin',
  'POST /api/channel/fix': 'admin',
  'PUT /api/channel/tag': 'admin',
  'POST /api/channel/tag/enabled': 'admin',
  'POST /api/channel/tag/disabled': 'admin',
  'GET /api/channel/:id': 'admin',
  'POST /api/channel/:id/copy': 'admin',
  'POST /api/channel': 'admin',
  'PUT /api/channel': 'admin',
  'DELETE /api/channel/:id': 'admin',

  'GET /api/log': 'admin',
  'GET /api/log/stat': 'admin',
  'GET /api/log/self': 'user',
  'GET /api/log/self/stat': 'user',
  'DELETE /api/log': 'root',
  'GET /api/data': 'admin',
  'GET /api/data/self': 'user',

  'GET /api/option': 'root',
  'PUT /api/option': 'root',
  'POST /api/option/rest_model_ratio': 'root',
} as const satisfies Record<string, Access>;

export type RouteName = keyof typeof guardTable;
export const routeNames = Object.keys(guardTable) as RouteName[];
