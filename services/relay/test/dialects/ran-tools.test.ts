import { type JsonObject, readWhole } from '@tollgate/providers';
import { expect } from 'chai';
import { dialectOf } from './four-corners.ts';
import { type CallerName, streamFor, type Upstream, wholeFor } from './next-turn.ts';

const claude: Upstream = { type: 14, model: 'claude-sonnet-4-5' };
const gemini: Upstream = { type: 24, model: 'gemini-2.5-flash' };
const page = 'https://a.example.com/';

/** Words, code that ran at Anthropic and what it gave, of each kind, and a page that was fetched. */
const run = (id: string, name: string, input: JsonObject) => ({ type: 'server_tool_use', id, name, input });
const content: JsonObject[] = [
  { type: 'text', text: 'I count.' },
  run('s1', 'code_execution', { code: 'print(1)' }),
  {
    type: 'code_execution_tool_result',
    tool_use_id: 's1',
    content: {
      type: 'code_execution_result',
      stdout: '1\n',
      stderr: 'slow',
      return_code: 0,
      content: [{ type: 'code_execution_output', file_id: 'file_a' }],
    },
  },
  run('s2', 'bash_code_execution', { command: 'ls' }),
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 's2',
    content: { type: 'bash_code_execution_tool_result_error', error_code: 'unavailable' },
  },
  run('s3', 'text_editor_code_execution', { command: 'view', path: 'a.txt' }),
  {
    type: 'text_editor_code_execution_tool_result',
    tool_use_id: 's3',
    content: { type: 'text_editor_code_execution_view_result', file_type: 'text', content: 'seen' },
  },
  { type: 'mcp_tool_use', id: 'm1', name: 'look', server_name: 'x', input: { where: 'here' } },
  { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: [{ type: 'text', text: 'rain' }] },
  run('s4', 'web_fetch', { url: page }),
  {
    type: 'web_fetch_tool_result',
    tool_use_id: 's4',
    content: {
      type: 'web_fetch_result',
      url: page,
      retrieved_at: null,
      content: { type: 'document', title: 'A', source: { type: 'text', data: 'long' } },
    },
  },
  { type: 'text', text: 'So.' },
];
const ran = ['1\nslow\nfile: file_a', 'error: unavailable', 'seen', 'rain'].map((text) => `\n\`\`\`output\n${text}\n\`\`\`\n`);
const words =
  `I count.\n\`\`\`python\nprint(1)\n\`\`\`\n${ran[0]}\n\`\`\`bash\nls\n\`\`\`\n${ran[1]}` +
  `\n\`\`\`json\n{"text_editor_code_execution":{"command":"view","path":"a.txt"}}\n\`\`\`\n${ran[2]}` +
  `\n\`\`\`json\n{"look":{"where":"here"}}\n\`\`\`\n${ran[3]}So.`;

const usage = { input_tokens: 1, output_tokens: 9 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', content, usage };
const events = [
  { type: 'message_start', message: { ...message, content: [] } },
  ...content.flatMap((block, index) => {
    const pieces = 'input' in block ? JSON.stringify(block.input).match(/.{1,7}/g) : [];
    const begun = 'input' in block ? { ...block, input: {} } : block;
    return [
      { type: 'content_block_start', index, content_block: begun },
      ...(pieces ?? []).map((partial_json) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })),
      { type: 'content_block_stop', index },
    ];
  }),
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  { type: 'message_stop' },
];

/** All texts of an answer, and the addresses in it. */
const saidBy: Record<Exclude<CallerName, 'anthropic'>, (told: JsonObject[]) => string> = {
  openai: (told) =>
    told
      .flatMap(({ choices }) => choices as JsonObject[])
      .map(({ message: whole, delta = whole }) => (delta as JsonObject).content ?? '')
      .join(''),
  gemini: (told) =>
    told
      .flatMap(({ candidates }) => candidates as { content?: { parts: JsonObject[] } }[])
      .flatMap(({ content: said }) => said?.parts ?? [])
      .map(({ text }) => text ?? '')
      .join(''),
  responses: (told) => {
    const { output } = (told.at(-1)?.response ?? told.at(-1)) as { output: { content: JsonObject[] }[] };
    return output.flatMap((item) => item.content.map(({ text }) => text)).join('');
  },
};
const objectsIn = (text: string) =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as JsonObject] : []));

describe('what tools gave that ran at a provider', () => {
  for (const caller of ['openai', 'gemini', 'responses'] as const) {
    it(`is told in words to callers of ${caller}, by Anthropic, whole and in a stream`, () => {
      const whole = wholeFor(caller, claude, JSON.stringify(message));
      expect(saidBy[caller]([JSON.parse(whole) as JsonObject])).to.equal(words);
      const stream = streamFor(
        caller,
        claude,
        events.map((event) => JSON.stringify(event)),
      );
      expect(saidBy[caller](objectsIn(stream))).to.equal(words);
      for (const told of [whole, stream]) expect(told, 'the page').to.include(page).and.not.include('s1');
    });
  }

  it('is told, too, where it is a part of what was thought, by Gemini', () => {
    const parts = [{ thought: true, executableCode: { language: 'PYTHON', code: 'print(1)' } }, { text: 'One.' }];
    const answer = JSON.stringify({ candidates: [{ index: 0, content: { parts }, finishReason: 'STOP' }] });
    for (const caller of ['openai', 'anthropic', 'responses'] as const) {
      expect(wholeFor(caller, gemini, answer)).to.include('print(1)');
      expect(streamFor(caller, gemini, [answer])).to.include('print(1)');
    }
  });

  it('is no output that is charged', () => {
    const long = 'x'.repeat(100_000);
    const stdout = { type: 'bash_code_execution_result', stdout: long, stderr: '', return_code: 0, content: [] };
    const answers: [Upstream, JsonObject][] = [
      [
        claude,
        {
          ...message,
          content: [
            { type: 'text', text: 'So.' },
            { type: 'bash_code_execution_tool_result', content: stdout },
          ],
        },
      ],
      [
        gemini,
        { candidates: [{ content: { parts: [{ text: 'So.' }, { codeExecutionResult: { output: long } }] }, finishReason: 'STOP' }] },
      ],
    ];
    for (const [{ type, model }, answer] of answers) {
      const stamp = { id: 'a', createdSeconds: 1, model: 'm' };
      const reading = readWhole(dialectOf(type, 'chat', model), Buffer.from(JSON.stringify(answer)), { stamp, speaks: 'openai' });
      expect(JSON.stringify(reading.answer)).to.include(long);
      expect(reading.counted().characters).to.equal(3);
      expect(reading.counted().textOutput).to.be.within(1, 3);
    }
  });
});
