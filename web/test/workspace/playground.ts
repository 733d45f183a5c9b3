import { eventually, type FakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { prefer } from '../support/browser.ts';
import { cpuOf } from '../support/cpu.ts';
import type { Site } from '../support/site.ts';

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })}`;
const usage =
  'data: {"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}';
const done = 'data: [DONE]';
export const answering = (...deltas: object[]) => ({ frames: [...deltas.map(chunk), usage, done] });

/** What a browser shows of the playground, whose models `provider` answers for. */
export function playground(parts: () => { site: Site; provider: FakeProvider }, models: readonly string[]): void {
  let site: Site;
  let provider: FakeProvider;
  let page: Page;
  before(() => {
    ({ site, provider } = parts());
    ({ page } = site);
  });

  const ask = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByLabel('Message').press('Enter');
  };
  const answers = () => page.getByRole('article', { name: models[0] as string, exact: true });

  it('shows an answer as it comes: reasoning folded, Markdown, code, tools, tokens and price', async () => {
    provider.answersNext(
      answering(
        { reasoning_content: 'I think about it' },
        { content: '## Plan\n\n**bold** <img src=x onerror="window.broken=1">\n\n```js\nconst a' },
        { content: ' = 1;\n```\n' },
        { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'look_up', arguments: '{"q":' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] },
      ),
    );
    await site.open('/playground');
    await page.getByRole('combobox', { name: 'Model' }).waitFor();
    await eventually(async () => expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).to.equal('gpt-4o-mini'));
    await ask('What now?');
    await answers().getByRole('heading', { name: 'Plan' }).waitFor();
    await answers().getByText('const a = 1;').waitFor();
    await answers().getByText('<img src=x').waitFor();
    expect(await answers().getByText('I think about it').isVisible()).to.equal(false);
    await answers().getByText('Reasoning').click();
    await answers().getByText('I think about it').waitFor();
    await answers().getByText('Tool call: look_up').waitFor();
    await answers().getByText('{"q":"x"}').waitFor();
    // 1000 x 0.15 and 500 x 0.6 dollars a million.
    await answers()
      .getByText(/1,000 \+ 500 tokens · ≈ \$0\.00045 · \d+\.\d s/)
      .waitFor();
    expect(await page.evaluate(() => 'broken' in window)).to.equal(false);
    const sent = provider.lastCall().json as Record<string, unknown>;
    expect(sent).to.deep.include({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'What now?' }], stream: true });
    expect(sent.temperature, 'until somebody moves it').to.equal(0);
    expect(sent).to.not.have.any.keys('max_tokens', 'tools');
  });

  it('says in both languages that the session is over where its address says so', async () => {
    for (const [i18nextLng, width, text] of [
      ['zh', 390, '未登录或登录已过期，请重新登录！'],
      ['en', 1280, 'Not logged in or login expired, please log in again'],
    ] as const) {
      await prefer(page, { i18nextLng });
      await page.setViewportSize({ width, height: 800 });
      await site.open('/playground?expired=true');
      await page.getByRole('alert').getByText(text).waitFor();
    }
  });

  it('keeps the conversation in this browser, and sends what is set with it', async () => {
    await site.open('/playground');
    await answers().getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByLabel('System prompt').fill('Be brief');
    const isSet = page.getByRole('switch', { name: /^Temperature/ });
    expect(await isSet.isChecked()).to.equal(true);
    const slider = page.getByRole('slider', { name: 'Temperature' });
    expect(await slider.getAttribute('aria-valuetext')).to.equal('0');
    await slider.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).to.equal('0.9');
    await page.getByLabel('Max output tokens').fill('64');
    await page.getByLabel('Tools (JSON)').fill('nonsense');
    await page.getByText('Enter a JSON array').waitFor();
    await page.getByLabel('Tools (JSON)').fill('[{"type":"function","function":{"name":"f"}}]');
    await ask('And then?');
    await answers().nth(1).getByText('Hello').waitFor();
    const sent = provider.lastCall().json as { messages: { role: string }[] } & Record<string, unknown>;
    expect(sent).to.deep.include({ temperature: 0.9, max_tokens: 64, tools: [{ type: 'function', function: { name: 'f' } }] });
    expect(sent.messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
    await isSet.uncheck();
    await ask('By your own?');
    await answers().nth(2).getByText('Hello').waitFor();
    expect(provider.lastCall().json, 'some models refuse any').to.not.have.property('temperature');
  });

  it('asks again and otherwise, each a version that stays', async () => {
    provider.answersNext(answering({ content: 'Second try' }));
    await answers().last().getByRole('button', { name: 'Regenerate' }).click();
    await answers().last().getByText('Second try').waitFor();
    await answers().last().getByText('2 / 2').waitFor();
    await answers().last().getByRole('button', { name: 'Older version' }).click();
    await answers().last().getByText('Hello').waitFor();
    const question = page.getByRole('article', { name: 'You' }).first();
    await question.getByRole('button', { name: 'Edit' }).click();
    await question.getByRole('textbox').fill('What else?');
    await question.getByRole('button', { name: 'Send', exact: true }).click();
    await question.getByText('2 / 2').waitFor();
    await eventually(() =>
      expect((provider.lastCall().json as { messages: object[] }).messages.at(-1)).to.deep.equal({ role: 'user', content: 'What else?' }),
    );
    await question.getByRole('button', { name: 'Older version' }).click();
    await page.getByText('And then?').waitFor();
  });

  it('stops an answer, says why another failed, and takes pictures', async () => {
    await page.getByRole('button', { name: 'Clear conversation' }).click();
    provider.answersNext({
      frames: [chunk({ content: 'Half of ' }), ...Array.from({ length: 100 }, () => chunk({ content: 'it ' })), done],
      paceMs: 100,
    });
    await page.getByLabel('Message').fill('Go on');
    await page.getByRole('button', { name: 'Send' }).dblclick(); // of which the second finds Stop under the pointer
    await answers().getByText('Half of it').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers().getByText('Stopped').waitFor();
    provider.answersNext({ status: 400, json: { error: { message: 'no <b>such</b> thing', type: 'invalid_request_error' } } });
    await ask('Fail');
    await answers()
      .last()
      .getByRole('alert')
      .getByText(/no <b>such<\/b> thing/)
      .waitFor();
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page.locator('input[type="file"]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') });
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await ask('What is this?');
    const last = () => (provider.lastCall().json as { messages: { content: unknown }[] }).messages.at(-1);
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } };
    await eventually(() => expect(last()?.content).to.deep.equal([{ type: 'text', text: 'What is this?' }, picture]));
  });

  it('asks models side by side, and shows the request as code', async () => {
    await page.getByRole('button', { name: 'Clear conversation' }).click();
    await page.getByRole('button', { name: 'Add model' }).click();
    await page.getByRole('region', { name: 'gpt-4o', exact: true }).waitFor();
    await ask('Both of you');
    await answers().getByText('Hello').waitFor();
    await page.getByRole('article', { name: 'gpt-4o', exact: true }).getByText('Hello').waitFor();
    await page.getByRole('button', { name: 'View code' }).last().click();
    const dialog = page.getByRole('dialog', { name: 'View code' });
    await dialog.getByText('/v1/chat/completions').waitFor();
    await dialog.getByRole('tab', { name: 'JavaScript' }).click();
    await dialog.getByText('Both of you').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove this model' }).last().click();
  });

  it('shows an answer of a hundred thousand characters', async function () {
    this.timeout(120_000);
    const paragraph = `${'words and words '.repeat(30)}\n\n- one\n- two\n\n`;
    const count = Math.ceil(100_000 / paragraph.length);
    provider.answersNext({
      frames: [...Array.from({ length: count }, () => chunk({ content: paragraph })), chunk({ content: 'the end' }), usage, done],
    });
    await page.getByRole('button', { name: 'Clear conversation' }).click();
    const read = async () => {
      await ask('A long one');
      await answers().getByText('the end').waitFor({ timeout: 90_000 });
    };
    if (!process.env.MEASURE) await read();
    else {
      const { longest, total } = await cpuOf(page, read);
      console.log(`a long answer: ${total.toFixed(0)} ms of the processor, ${longest.toFixed(0)} in the longest task`);
    }
    await page.getByRole('button', { name: 'Clear conversation' }).click();
  });

  it('loads nothing that an answer names, and leads to none of its own addresses', async () => {
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(request.url());
    page.on('request', note);
    const own = site.installation.address;
    const lures = [
      '![chart](/api/user/logout)',
      `![chart](${own}/api/user/logout)`,
      '[![badge](https://evil.example/badge.png?q=secret)](/api/user/logout)',
      '[settings](/setting) [again](http://127.0.0.1:1/x) [site](https://docs.example/a)',
      '<iframe src="https://evil.example/frame"></iframe>',
      '![b](data:image/png;base64,AA==) ![c](javascript:alert(1)) ![d](//evil.example/d.png)',
    ];
    provider.answersNext(answering({ content: `# Lures\n\n${lures.join('\n\n')}` }));
    await site.open('/playground');
    await ask('Look');
    const answer = answers().filter({ has: page.getByRole('heading', { name: 'Lures' }) });
    await answer.getByRole('link', { name: 'Image: d' }).waitFor();
    expect(await answer.locator('img, iframe, [src]').count()).to.equal(0);
    const links = await answer.getByRole('link').evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));
    expect(links.map((link) => new URL(link).hostname)).to.have.members(['evil.example', 'evil.example', 'docs.example']);
    page.off('request', note);
    expect(asked.filter((url) => url.includes('evil.example') || url.includes('logout'))).to.deep.equal([]);
    await page.getByRole('button', { name: 'Clear conversation' }).click();
  });

  it('works over plain http from another machine, where browsers have no crypto.randomUUID', async () => {
    const stranger = await page.context().newPage();
    await stranger.addInitScript(() => Object.defineProperty(crypto, 'randomUUID', { value: undefined }));
    await stranger.goto(`${site.installation.address}/playground`);
    await stranger.getByLabel('Message').waitFor();
    await stranger.close();
  });
}
