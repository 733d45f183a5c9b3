/** A call of the gateway, as it can be pasted elsewhere. */
export interface SnippetRequest {
  /** With `/v1`. */
  baseUrl: string;
  key: string;
  body: Record<string, unknown>;
}

export const snippetLanguages = ['curl', 'Python', 'JavaScript'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

/** A chat call in the words of a shell, or of OpenAI's own packages. */
export function snippetOf(language: SnippetLanguage, { baseUrl, key, body }: SnippetRequest): string {
  if (language === 'curl') return curl(baseUrl, key, body);
  return language === 'Python' ? python(baseUrl, key, body) : javaScript(baseUrl, key, body);
}

function curl(baseUrl: string, key: string, body: object): string {
  // Within single quotes a shell takes everything as it is but the single quote.
  const data = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`);
  return [
    `curl ${baseUrl}/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${data}'`,
  ].join('\n');
}

function python(baseUrl: string, key: string, body: Record<string, unknown>): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonOf(value)},`);
  const reading = body.stream
    ? ['for chunk in answer:', '    if chunk.choices:', '        print(chunk.choices[0].delta.content or "", end="")']
    : ['print(answer.choices[0].message.content)'];
  return [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=${JSON.stringify(key)})`,
    'answer = client.chat.completions.create(',
    ...fields,
    ')',
    ...reading,
  ].join('\n');
}

/** JSON's texts, numbers and brackets are Python's too; its three words are not. */
function pythonOf(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${pythonOf(each)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

function javaScript(baseUrl: string, key: string, body: Record<string, unknown>): string {
  const fields = JSON.stringify(body, null, 2);
  const reading = body.stream
    ? ["for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');"]
    : ['console.log(answer.choices[0].message.content);'];
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(key)} });`,
    `const answer = await client.chat.completions.create(${fields});`,
    ...reading,
  ].join('\n');
}
