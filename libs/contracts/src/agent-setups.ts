/** One thing to paste: lines for a shell, or the content of a file. `{{origin}}`, `{{key}}` and `{{model}}` are replaced by the gateway's address, the token, and a model. */
export interface SetupStep {
  /** Where the text belongs: a file below the home folder (`~/`), or undefined for the shell. */
  file?: string;
  language: 'sh' | 'json' | 'toml' | 'yaml';
  text: string;
}

/** How a coding agent is pointed at a gateway. */
export interface AgentSetup {
  id: string;
  name: string;
  /** The agent's own page about such settings. */
  source: string;
  /** The API that it calls. */
  format: 'anthropic' | 'responses' | 'chat' | 'gemini';
  steps: readonly SetupStep[];
  /** Settings of a dialog, for an agent without a file: what is typed into which field. */
  fields?: readonly (readonly [field: string, value: string])[];
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Settings to paste, per agent. The documentation and the console show them, and the nightly suite runs the agents with them. */
export const agentSetups: readonly AgentSetup[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    source: 'https://code.claude.com/docs/en/llm-gateway',
    format: 'anthropic',
    steps: [
      {
        language: 'sh',
        text: [
          'export ANTHROPIC_BASE_URL="{{origin}}"',
          'export ANTHROPIC_AUTH_TOKEN="{{key}}"',
          'export ANTHROPIC_MODEL="{{model}}"',
          'export ANTHROPIC_DEFAULT_HAIKU_MODEL="{{model}}"',
        ].join('\n'),
      },
    ],
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    source: 'https://developers.openai.com/codex/config-advanced',
    format: 'responses',
    steps: [
      {
        file: '~/.codex/config.toml',
        language: 'toml',
        text: [
          'model = "{{model}}"',
          'model_provider = "tollgate"',
          '',
          '[model_providers.tollgate]',
          'name = "Tollgate"',
          'base_url = "{{origin}}/v1"',
          'env_key = "TOLLGATE_API_KEY"',
          'wire_api = "responses"',
        ].join('\n'),
      },
      { language: 'sh', text: 'export TOLLGATE_API_KEY="{{key}}"' },
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/docs/get-started/configuration.md',
    format: 'gemini',
    steps: [
      {
        file: '~/.gemini/settings.json',
        language: 'json',
        text: json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
      },
      {
        language: 'sh',
        text: ['export GOOGLE_GEMINI_BASE_URL="{{origin}}"', 'export GEMINI_API_KEY="{{key}}"', 'export GEMINI_MODEL="{{model}}"'].join(
          '\n',
        ),
      },
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    source: 'https://opencode.ai/docs/providers/#custom-provider',
    format: 'chat',
    steps: [
      {
        file: '~/.config/opencode/opencode.json',
        language: 'json',
        text: json({
          $schema: 'https://opencode.ai/config.json',
          model: 'tollgate/{{model}}',
          small_model: 'tollgate/{{model}}',
          provider: {
            tollgate: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Tollgate',
              options: { baseURL: '{{origin}}/v1', apiKey: '{env:TOLLGATE_API_KEY}' },
              models: { '{{model}}': { name: '{{model}}' } },
            },
          },
        }),
      },
      { language: 'sh', text: 'export TOLLGATE_API_KEY="{{key}}"' },
    ],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    source: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth/',
    format: 'chat',
    steps: [
      { file: '~/.qwen/settings.json', language: 'json', text: json({ security: { auth: { selectedType: 'openai' } } }) },
      {
        language: 'sh',
        text: ['export OPENAI_BASE_URL="{{origin}}/v1"', 'export OPENAI_API_KEY="{{key}}"', 'export OPENAI_MODEL="{{model}}"'].join('\n'),
      },
    ],
  },
  {
    id: 'aider',
    name: 'aider',
    source: 'https://aider.chat/docs/llms/openai-compat.html',
    format: 'chat',
    steps: [
      {
        language: 'sh',
        text: ['export OPENAI_API_BASE="{{origin}}/v1"', 'export OPENAI_API_KEY="{{key}}"', 'export AIDER_MODEL="openai/{{model}}"'].join(
          '\n',
        ),
      },
    ],
  },
  {
    id: 'continue',
    name: 'Continue',
    source: 'https://docs.continue.dev/reference',
    format: 'chat',
    steps: [
      {
        file: '~/.continue/config.yaml',
        language: 'yaml',
        text: [
          'name: Tollgate',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          '  - name: {{model}}',
          '    provider: openai',
          '    model: {{model}}',
          '    apiBase: {{origin}}/v1',
          '    apiKey: {{key}}',
          '    roles: [chat, edit, apply]',
        ].join('\n'),
      },
    ],
  },
  {
    id: 'cline',
    name: 'Cline, Roo Code',
    source: 'https://docs.cline.bot/provider-config/openai-compatible',
    format: 'chat',
    steps: [],
    fields: [
      ['API Provider', 'OpenAI Compatible'],
      ['Base URL', '{{origin}}/v1'],
      ['API Key', '{{key}}'],
      ['Model ID', '{{model}}'],
    ],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    source: 'https://cursor.com/docs/settings/api-keys',
    format: 'chat',
    steps: [],
    fields: [
      ['OpenAI API Key', '{{key}}'],
      ['Override OpenAI Base URL', '{{origin}}/v1'],
      ['Add Model', '{{model}}'],
    ],
  },
];

/** A text of a setup with the gateway's address, a token and a model in it. */
export function filledSetup(text: string, values: { origin: string; key: string; model: string }): string {
  return text.replaceAll('{{origin}}', values.origin).replaceAll('{{key}}', values.key).replaceAll('{{model}}', values.model);
}
