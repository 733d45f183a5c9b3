import { type AgentSetup, agentSetups, filledSetup } from '@tollgate/contracts/agent-setups';

const shown = { origin: 'https://gateway.example.com', key: 'sk-...', model: 'claude-sonnet-4-5' };
const apis = { anthropic: 'Anthropic Messages', responses: 'OpenAI Responses', chat: 'OpenAI chat completions', gemini: 'Gemini' };

/** docs/guides/use-with.md: what to paste into each coding agent. */
export function agentsPage(): string {
  return [
    '# Use with a coding agent',
    'For people who have a token. `https://gateway.example.com` stands for your installation, `sk-...` for your token, `claude-sonnet-4-5` for any model that `GET /v1/models` lists: an agent works with the models of every provider, whichever API it calls. The console shows the same settings with your address and token under **Tokens**, **View key**.',
    '`npm run test:agents` runs Claude Code, Codex CLI, Gemini CLI, opencode and Qwen Code with exactly these settings on five kinds of upstream, and compares what the model is sent with a direct connection. Written by `npm run settings`; do not edit.',
    ...agentSetups.map(section),
    '',
  ].join('\n\n');
}

function section({ name, source, format, steps, fields }: AgentSetup): string {
  return [
    `## ${name}`,
    `Calls ${apis[format]}. [About its settings](${source}).`,
    ...steps.map(
      ({ file, language, text }) =>
        `${file === undefined ? 'In the terminal:' : `\`${file}\`:`}\n\n\`\`\`${language}\n${filledSetup(text, shown)}\n\`\`\``,
    ),
    ...(fields === undefined ? [] : [fields.map(([field, value]) => `- ${field}: \`${filledSetup(value, shown)}\``).join('\n')]),
  ].join('\n\n');
}
