/**
 * Those of a piece's words that no model wrote, but a tool that ran at its provider: they are told, and no output that is paid for. It
 * stands beside `content`, which holds them, too, and is not written for anybody.
 */
export const toolOutput = Symbol('tool output');

export interface WithToolOutput {
  [toolOutput]?: string;
}

/** What ran, or what it gave, as Markdown has it; nothing where there is nothing to tell. */
export function fenced(kind: string, text: string): string {
  return text === '' ? '' : `\n\`\`\`${kind}\n${text}\n\`\`\`\n`;
}
