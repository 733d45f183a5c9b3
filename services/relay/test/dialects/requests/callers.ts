export type Caller = 'openai' | 'anthropic' | 'gemini' | 'responses';
/** Responses is nobody's dialect upstream but for callers who speak it: see the providers' README. */
export type Between = Exclude<Caller, 'responses'>;
