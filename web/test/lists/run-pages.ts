import { expect } from 'chai';
import { allFindings, prefer, sidewaysOverflow } from '../support/browser.ts';
import { intercept, type Site } from '../support/site.ts';

const run = {
  ...{ id: 'run-7-abc', run_id: 'task-17', token_id: 7, token_name: 'agent', user_id: 1, limit: 500_000, used: 500_000, held: 5_000 },
  ...{ percent: 100, opened_by: 'caller', opened_time: 1_760_000_000 },
};
const call = (id: number, total: number) => ({
  ...{ id: `call-${id}`, time: 1_760_000_000 + id, model: id % 2 ? 'gpt-4o' : 'claude-haiku-4-5', quota: 250_000, total },
  ...{ prompt_tokens: 1_000, completion_tokens: 200, duration_ms: 900, end_reason: 'complete' },
});
const models = [
  { model: 'gpt-4o', calls: 1, tokens: 1_200, quota: 250_000 },
  { model: 'claude-haiku-4-5', calls: 1, tokens: 1_200, quota: 250_000 },
];
const texts = {
  en: {
    runs: 'Runs',
    view: 'View task-17',
    models: 'Cost by model',
    change: 'Change ceiling',
    changed: 'Ceiling changed',
    budgets: 'Budgets',
  },
  zh: { runs: '运行', view: '查看 task-17', models: '各模型费用', change: '修改上限', changed: '上限已修改', budgets: '预算' },
};

/** What a browser shows of runs and budgets, on a product that runs already. */
export function runPages(site: () => Site): void {
  const page = () => site().page;
  for (const [language, text] of Object.entries(texts)) {
    it(`Runs are shown with cost by model and calls, and raised, and budgets open (${language})`, async () => {
      const raised: unknown[] = [];
      await intercept(page(), /\/api\/run\b/, (route) => {
        const [request, { pathname }] = [route.request(), new URL(route.request().url())];
        if (request.method() === 'PUT') raised.push(request.postDataJSON());
        const list = { items: [run], page: 1, page_size: 10, total: 1 };
        const data = pathname.endsWith('/detail') ? { run, models, calls: [call(1, 250_000), call(2, 500_000)] } : list;
        return route.fulfill({ json: { success: true, message: '', data: request.method() === 'PUT' ? run : data } });
      });
      await prefer(page(), { i18nextLng: language });
      await page().setViewportSize({ width: 390, height: 800 });
      await site().open('/run');
      await page().getByRole('heading', { name: text.runs }).waitFor();
      expect(await sidewaysOverflow(page())).to.equal(0);
      await page().getByRole('button', { name: text.view }).first().click();
      const dialog = page().getByRole('dialog', { name: 'task-17' });
      await dialog.getByRole('region', { name: text.models }).getByText('gpt-4o').waitFor();
      expect(await dialog.textContent())
        .to.contain('100%')
        .and.to.contain('claude-haiku-4-5');
      expect(await allFindings(page())).to.deep.equal([]);
      await dialog.getByRole('textbox').first().fill('2');
      await dialog.getByRole('button', { name: text.change }).click();
      await page().getByText(text.changed).waitFor();
      expect(raised).to.deep.equal([{ id: run.id, limit: 1_000_000 }]);
      await site().open('/budget');
      await page().getByRole('heading', { name: text.budgets, exact: true }).waitFor();
      expect(await allFindings(page())).to.deep.equal([]);
      await page().setViewportSize({ width: 1280, height: 800 });
      await prefer(page(), { i18nextLng: 'en' });
    });
  }
}
