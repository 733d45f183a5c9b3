import type { Language } from '@tollgate/contracts';
import type { Request, Response } from 'express';

/** Wraps an answer as every console answer is wrapped. `message` is for people, empty when there is nothing to say. */
export function ok(res: Response, data?: unknown, message = ''): void {
  res.json({ success: true, message, data });
}

/** The language of the answer's texts: Chinese for those who ask for it, else English. */
export function languageOf(req: Request): Language {
  return req.acceptsLanguages('en', 'zh') === 'zh' ? 'zh' : 'en';
}
