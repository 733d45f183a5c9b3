import type { JsonObject } from '@tollgate/providers';
import { packed } from '../../../src/dialects/opaque-state.ts';
import { anthropicTools, geminiTools, openaiTools, others, type Piece, pdf, png, responsesTools } from './piece.ts';

const addresses = { picture: 'https://files.example.com/a.png', paper: 'https://files.example.com/a.pdf' };

const asked = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const askedGemini = (...parts: JsonObject[]) => ({ contents: [{ role: 'user', parts }] });
const askedItems = (...content: JsonObject[]) => ({ input: [{ role: 'user', content }] });

/** Two calls of one tool and one of another in a turn; results come in another order than the calls. */
const calls = [
  { id: 'call_a', name: 'weather', args: { city: 'Oslo', days: [1, 2] } },
  { id: 'call_b', name: 'weather', args: { city: 'Lima', days: [] } },
  { id: 'call_c', name: 'time', args: {} },
] as const;
const results = [
  { id: 'call_c', name: 'time', text: 'noon' },
  { id: 'call_b', name: 'weather', text: '{"degrees":19.5}' },
  { id: 'call_a', name: 'weather', text: 'cold' },
] as const;
const objectOf = (text: string): JsonObject => (text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { output: text });

const oneCall = {
  openai: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
  },
  anthropic: { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a', name: 'weather', input: {} }] },
  gemini: { role: 'model', parts: [{ functionCall: { id: 'call_a', name: 'weather', args: {} } }] },
  responses: { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{}' },
};
const go = { role: 'user', content: 'go' };
const goGemini = { role: 'user', parts: [{ text: 'go' }] };

/** A round of one tool, with its result told as each dialect would. */
function answeredBy(result: { openai: unknown; anthropic: JsonObject; gemini: JsonObject; responses: unknown }): Omit<Piece, 'says'> {
  return {
    openai: {
      tools: openaiTools(['weather']),
      messages: [go, oneCall.openai, { role: 'tool', tool_call_id: 'call_a', content: result.openai }],
    },
    anthropic: {
      tools: anthropicTools(['weather']),
      messages: [go, oneCall.anthropic, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', ...result.anthropic }] }],
    },
    gemini: {
      tools: geminiTools(['weather']),
      contents: [
        goGemini,
        oneCall.gemini,
        { role: 'user', parts: [{ functionResponse: { id: 'call_a', name: 'weather', ...result.gemini } }] },
      ],
    },
    responses: {
      tools: responsesTools(['weather']),
      input: [go, oneCall.responses, { type: 'function_call_output', call_id: 'call_a', output: result.responses }],
    },
  };
}

const thought = { type: 'thinking', thinking: 'It is cold there.', signature: 'c2lnbmVk' };
const signedCall = { id: 'call_a', name: 'weather', args: {} };

/** What was said so far. */
export const conversations: Piece[] = [
  {
    says: 'instructions',
    openai: { messages: [{ role: 'system', content: 'Be brief.' }, go] },
    anthropic: { system: 'Be brief.', messages: [go] },
    gemini: { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [goGemini] },
    responses: { instructions: 'Be brief.', input: 'go' },
  },
  {
    says: 'instructions in the midst of it',
    openai: { messages: [go, { role: 'assistant', content: 'Where?' }, { role: 'developer', content: 'Be brief.' }, go] },
    anthropic: { messages: [go, { role: 'assistant', content: 'Where?' }, { role: 'system', content: 'Be brief.' }, go] },
    responses: { input: [go, { role: 'assistant', content: 'Where?' }, { role: 'developer', content: 'Be brief.' }, go] },
  },
  {
    says: 'turns of several parts',
    openai: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: 'Three.' },
      ],
    },
    anthropic: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: 'Three.' },
      ],
    },
    gemini: {
      contents: [
        { role: 'user', parts: [{ text: 'One.' }, { text: 'Two.' }] },
        { role: 'model', parts: [{ text: 'Yes.' }] },
        { role: 'user', parts: [{ text: 'Three.' }] },
      ],
    },
    responses: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'One.' },
            { type: 'input_text', text: 'Two.' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.', annotations: [] }] },
        { role: 'user', content: 'Three.' },
      ],
    },
  },
  {
    says: 'two turns of one side',
    openai: { messages: [go, { role: 'user', content: 'now' }] },
    responses: { input: [go, { role: 'user', content: 'now' }] },
  },
  { says: 'who speaks', openai: { messages: [{ ...go, name: 'ada' }] } },
  {
    says: 'what it refused to say',
    openai: { messages: [go, { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] }, go] },
    responses: { input: [go, { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] }, go] },
  },
  {
    says: 'parallel calls and their results',
    openai: {
      tools: openaiTools(others),
      messages: [
        go,
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })),
        },
        ...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
        { role: 'user', content: 'And?' },
      ],
    },
    anthropic: {
      tools: anthropicTools(others),
      messages: [
        go,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see.' },
            ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
          ],
        },
        {
          role: 'user',
          content: [
            ...results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    },
    gemini: {
      tools: geminiTools(others),
      contents: [
        goGemini,
        { role: 'model', parts: [{ text: 'Let me see.' }, ...calls.map((call) => ({ functionCall: call }))] },
        {
          role: 'user',
          parts: [...results.map(({ id, name, text }) => ({ functionResponse: { id, name, response: objectOf(text) } })), { text: 'And?' }],
        },
      ],
    },
    responses: {
      tools: responsesTools(others),
      input: [
        go,
        { role: 'assistant', content: 'Let me see.' },
        ...calls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) })),
        ...results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
        { role: 'user', content: 'And?' },
      ],
    },
  },
  {
    says: 'a result that is an error',
    ...answeredBy({
      openai: 'Error: no such city',
      anthropic: { content: 'no such city', is_error: true },
      gemini: { response: { error: 'no such city' } },
      responses: 'Error: no such city',
    }),
  },
  {
    says: 'a result that shows a picture',
    ...answeredBy({
      openai: [
        { type: 'text', text: 'as seen' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
      anthropic: {
        content: [
          { type: 'text', text: 'as seen' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        ],
      },
      gemini: { response: { output: 'as seen' }, parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
      responses: [
        { type: 'input_text', text: 'as seen' },
        { type: 'input_image', image_url: `data:image/png;base64,${png}` },
      ],
    }),
  },
  {
    says: 'a picture',
    openai: asked([{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }]),
    anthropic: asked([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }]),
    gemini: askedGemini({ inlineData: { mimeType: 'image/png', data: png } }),
    responses: askedItems({ type: 'input_image', image_url: `data:image/png;base64,${png}` }),
  },
  {
    says: 'a picture by its address',
    openai: asked([{ type: 'image_url', image_url: { url: addresses.picture, detail: 'low' } }]),
    anthropic: asked([{ type: 'image', source: { type: 'url', url: addresses.picture } }]),
    gemini: askedGemini({ fileData: { mimeType: 'image/png', fileUri: addresses.picture } }),
    responses: askedItems({ type: 'input_image', image_url: addresses.picture, detail: 'low' }),
  },
  {
    says: 'a document',
    openai: asked([{ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }]),
    anthropic: asked([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf }, title: 'a.pdf' }]),
    gemini: askedGemini({ inlineData: { mimeType: 'application/pdf', data: pdf } }),
    responses: askedItems({ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }),
  },
  {
    says: 'a document by its address',
    anthropic: asked([{ type: 'document', source: { type: 'url', url: addresses.paper } }]),
    gemini: askedGemini({ fileData: { mimeType: 'application/pdf', fileUri: addresses.paper } }),
    responses: askedItems({ type: 'input_file', file_url: addresses.paper }),
  },
  {
    says: 'a document of plain text',
    anthropic: asked([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Once.' }, title: 'A tale' }]),
  },
  {
    says: 'a file that the provider keeps',
    openai: asked([{ type: 'file', file: { file_id: 'file-1' } }]),
    anthropic: asked([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]),
    gemini: askedGemini({ fileData: { mimeType: 'application/pdf', fileUri: 'files/one' } }),
    responses: askedItems({ type: 'input_file', file_id: 'file-1' }),
  },
  {
    says: 'sound',
    openai: asked([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]),
    gemini: askedGemini({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    responses: askedItems({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
  },
  {
    says: 'earlier thoughts, signed',
    anthropic: {
      tools: anthropicTools(['weather']),
      messages: [
        go,
        { role: 'assistant', content: [thought, { type: 'tool_use', id: 'call_a', name: 'weather', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'cold' }] },
      ],
    },
    gemini: {
      tools: geminiTools(['weather']),
      contents: [
        goGemini,
        {
          role: 'model',
          parts: [
            { text: thought.thinking, thought: true, thoughtSignature: thought.signature },
            { functionCall: signedCall, thoughtSignature: thought.signature },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'call_a', name: 'weather', response: { output: 'cold' } } }] },
      ],
    },
    responses: {
      tools: responsesTools(['weather']),
      input: [
        go,
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: packed({ thinking: [thought] }) },
        oneCall.responses,
        { type: 'function_call_output', call_id: 'call_a', output: 'cold' },
      ],
    },
  },
  {
    says: 'thoughts that only their maker can read',
    responses: {
      input: [go, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }, { role: 'assistant', content: 'Yes.' }, go],
    },
  },
];
