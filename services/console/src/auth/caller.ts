/** Who is signed in: read afresh for each request, never from the cookie. */
export interface Caller {
  id: number;
  username: string;
  role: number;
  group: string;
  /** Signed in with a password that was printed: nothing can be done but choose another. */
  mustChangePassword: boolean;
  /** The session's id; undefined when a system access token was used. */
  session: string | undefined;
  /** Of the credential that let him in, the password of his session or the access token (see `credentialStamp`). */
  stamp: string;
}

/** Who acts when a rule does. */
export const byRule: Caller = { id: 0, username: 'system', role: 0, group: '', mustChangePassword: false, session: undefined, stamp: '' };
