import { isObject, objectOf } from '../objects.ts';
import type { CitedPage } from '../openai/annotations.ts';
import { fenced } from '../tool-output.ts';

/** Tools that run code: which of their inputs is it, and in which language. */
const runners = new Map<string, readonly [field: string, language: string]>([
  ['code_execution', ['code', 'python']],
  ['bash_code_execution', ['command', 'bash']],
]);
/** What was looked for is told by what was found. */
const silent = new Set(['web_search', 'web_fetch', 'tool_search_tool_regex', 'tool_search_tool_bm25']);
const uses = new Set(['server_tool_use', 'mcp_tool_use']);

export function isToolRun(type: string): boolean {
  return uses.has(type);
}

/** What a tool that ran at Anthropic was given, in words. Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/code-execution-tool */
export function toolRun(name: string, input: unknown): string {
  if (silent.has(name)) return '';
  const [field = '', language = ''] = runners.get(name) ?? [];
  const code = objectOf(input)[field];
  return typeof code === 'string' ? fenced(language, code) : fenced('json', JSON.stringify({ [name]: input ?? {} }));
}

/** What it gave, in words: what it wrote, the files that it made by their ids, or what went wrong. A search's pages are told where words rest on them. */
export function toolResult(type: string, content: unknown): string {
  return isToolResult(type) ? fenced('output', linesOf(content).filter(Boolean).join('\n')) : '';
}

const silentResults = new Set(['web_search_tool_result', 'web_fetch_tool_result', 'tool_search_tool_result']);

/** Whether a block tells what a tool gave that ran there, in words of its own. */
export function isToolResult(type: string): boolean {
  return type.endsWith('_tool_result') && !silentResults.has(type);
}

function linesOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) return content.flatMap(linesOf);
  if (!isObject(content)) return [];
  const { text, stdout, stderr, lines, file_id: file, error_code: error, error_message: message } = content;
  const said = [text, stdout, stderr, ...(Array.isArray(lines) ? (lines as unknown[]) : [])].map((one) =>
    typeof one === 'string' ? one : '',
  );
  return [
    ...said.map((one) => one.replace(/\n$/, '')),
    ...linesOf(content.content),
    ...(typeof file === 'string' ? [`file: ${file}`] : []),
    ...(typeof error === 'string' ? [`error: ${typeof message === 'string' ? message : error}`] : []),
  ];
}

/** The page that was fetched. Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-fetch-tool */
export function fetchedPages(type: string, content: unknown): CitedPage[] {
  if (type !== 'web_fetch_tool_result') return [];
  const { url, content: document } = objectOf(content);
  const { title } = objectOf(document);
  return typeof url === 'string' ? [{ url, title: typeof title === 'string' ? title : null }] : [];
}
