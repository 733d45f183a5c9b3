import { UsageByModel, UsageByPart, UsageDearest, UsageHourly, UsageLog } from '@tollgate/db';
import { dashboards } from './logs/dashboards.ts';
import { dashboardsOfEverybody } from './logs/dashboards-of-everybody.ts';
import { failedCalls } from './logs/failed-calls.ts';
import { keptAndDeleted } from './logs/kept-and-deleted.ts';
import { pages } from './logs/pages.ts';
import { type Logs, logsOf } from './logs/rows.ts';
import { searched } from './logs/searched.ts';
import { shownAndFiltered } from './logs/shown-and-filtered.ts';
import { sums } from './logs/sums.ts';
import { startConsole, type TestConsole } from './support/console.ts';

describe('logs', () => {
  let tollgate: TestConsole;
  let logs: Logs;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    const [user, other, admin] = await Promise.all([tollgate.newUser(), tollgate.newUser(), tollgate.newUser({ admin: true })]);
    logs = logsOf(tollgate, { user, other, admin });
  });
  after(() => tollgate.close());
  beforeEach(async () => {
    await Promise.all([UsageLog.deleteMany({}), UsageHourly.deleteMany({}), UsageByModel.deleteMany({}), UsageByPart.deleteMany({})]);
    await UsageDearest.deleteMany({});
  });

  const given = (): Logs => logs;
  shownAndFiltered(given);
  pages(given);
  sums(given);
  keptAndDeleted(given);
  searched(given);
  failedCalls(given);
  dashboards(given);
  dashboardsOfEverybody(given);
});
