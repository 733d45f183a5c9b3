import type { Between } from './callers.ts';

/** What a dialect has no word for, or another one. A note stands for changes that are found by their lines. */
export interface Note {
  /** Whose fault it is: of the dialect in between, or of the caller's own, in which it is said again. Undefined: of no one alone. */
  dialect?: Between;
  /** The one piece that it is about. */
  of?: string;
  what: RegExp;
  says: string;
}

export const otherwise: readonly Note[] = [
  {
    dialect: 'anthropic',
    what: /(?:max_tokens|maxOutputTokens): nothing -> 64000$/,
    says: 'Anthropic must be told a limit: it is the longest answer of the model',
  },
  {
    dialect: 'openai',
    what: /(?:top_k|topK): 20 -> nothing$/,
    says: 'OpenAI’s models take no `top_k`',
  },
  {
    of: 'instructions in the midst of it',
    what: /developer" -> "system"$|messages: in another order$|messages\[\]: .*"role":"system"\} -> nothing$|system: nothing -> /,
    says: 'instructions, the developer’s too, are the system’s and stand before all else',
  },
  { of: 'two turns of one side', what: /messages\[\]: /, says: 'neighbours of one side are one turn' },
  { what: /messages\[\]\.name: "ada" -> nothing$/, says: 'there are no names of speakers' },
  { of: 'what it refused to say', what: /content\[\]\.(?:type|refusal|text): /, says: 'what was refused is a text like any other' },
  {
    dialect: 'gemini',
    what: /: in another order$/,
    says: 'Gemini’s results come in the order of their calls, each by its place: ids are made anew',
  },
  {
    of: 'a result that is an error',
    what: /text: "no such city" -> "Error: no such city"$|is_error: true -> nothing$|response\.(?:error: "no such city" -> nothing|output: nothing -> "Error: no such city")$/,
    says: 'there is no mark of errors: `Error:` begins the result',
  },
  {
    of: 'a result that shows a picture',
    what: /(?:messages|content|parts)\[\]: (?:.*as seen.*|nothing -> .*(?:Shown by the tool call|"image"|inlineData).*)$/,
    says: 'what a result shows stands behind it, with the user’s words, and says of which call it is',
  },
  { what: /image_url\.detail: "low" -> nothing$/, says: 'how closely a picture is looked at cannot be said' },
  {
    of: 'a picture by its address',
    what: /-> "data:image\/png;|source\.(?:type|url|media_type|data): |parts\[\]\.(?:fileData|inlineData): /,
    says: 'Gemini is told pictures by their bytes: the relay fetches them',
  },
  { dialect: 'gemini', what: /(?:filename|title): "a.pdf" -> "document.pdf"$/, says: 'Gemini’s documents have no names' },
  {
    of: 'a document by its address',
    what: /-> "data:application\/pdf;|source\.(?:type|url|media_type|data): |title: nothing -> |parts\[\]\.(?:fileData|inlineData): /,
    says: 'documents are told by their bytes: the relay fetches them',
  },
  { of: 'a document of plain text', what: /content\[\]: /, says: 'a document of text is its title and its text' },
  {
    of: 'earlier thoughts, signed',
    what: /signature":"c2lnbmVk".* -> nothing$|thoughtSignature":"c2lnbmVk"\} -> nothing$|nothing -> \{"functionCall":\{[^}]*\{\}[^}]*\}\}$/,
    says: 'signed thoughts are left out: nobody but their maker could check them',
  },
  {
    dialect: 'anthropic',
    of: 'how much to think',
    what: /temperature: nothing -> 1$/,
    says: 'Anthropic’s models think at a temperature of 1',
  },
  { what: /json_schema\.name: "trip" -> "answer"$/, says: 'a schema of the answer has no name' },
  {
    dialect: 'gemini',
    what: /additionalProperties: false -> nothing$|strict: true -> nothing$/,
    says: 'Gemini keeps to schemas anyway, and to the part of them that it knows: `strict` and closed objects cannot be said',
  },
  {
    dialect: 'anthropic',
    what: /(?:system|systemInstruction|messages\[\]): nothing -> .*Answer with |(?:output_config|response_format): .* -> nothing$|response(?:MimeType|Schema): .* -> nothing$/,
    says: 'Anthropic’s models are bound to strict schemas of closed objects; any other schema, and JSON without one, they are asked for in words',
  },
  {
    of: 'one of these tools',
    what: /(?:tools|functionDeclarations)\[\]: .*"weather".* -> nothing$|tool_choice: .*allowed_tools.* -> "required"$|allowedFunctionNames: \["time","map"\] -> nothing$/,
    says: 'of several tools that may be called, only those are told',
  },
  {
    dialect: 'gemini',
    what: /parallel_tool_(?:calls: false|use: true) -> nothing$/,
    says: 'Gemini cannot be told to make one call at a time',
  },
  {
    dialect: 'anthropic',
    of: 'chance',
    what: /(?:seed|penalty|Penalty): .* -> nothing$/,
    says: 'Anthropic knows no seed and no penalties, which only tune',
  },
  {
    of: 'how long an answer may be',
    what: /max_completion_tokens: 500 -> nothing$|max_tokens: nothing -> 500$/,
    says: 'the limit is said by its old name',
  },
  {
    dialect: 'gemini',
    of: 'whose question it is',
    what: /(?:user|metadata): .* -> nothing$/,
    says: 'Gemini is not told whose question it is',
  },
  {
    of: 'tools of free text',
    what: /tools\[\]\.(?:custom|type|function): /,
    says: 'a tool of free text is a function of one string; answers have the caller’s form again',
  },
  {
    of: 'functions, as before there were tools',
    what: /(?:functions|tools|tool_choice|parallel_tool_calls): /,
    says: 'legacy functions are tools, one call at a time; answers have the caller’s form again',
  },
  {
    of: 'what to keep in a cache',
    what: /cache_control: .* -> nothing$/,
    says: 'what is cached is not marked: others do it by themselves',
  },
];
