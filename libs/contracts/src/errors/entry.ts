/** What went wrong, for callers and people. `status` is the HTTP status; `type` OpenAI's word for the class of error. */
export interface ErrorEntry {
  status: number;
  type: string;
  /** What programs read as its code, where that is the code of another error. */
  code?: string;
  en: string;
  zh: string;
}

export const invalid = 'invalid_request_error';
export const auth = 'authentication_error';
export const permission = 'permission_error';
