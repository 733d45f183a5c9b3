import { createSlice, type PayloadAction } from '@reduxjs/toolkit';
import type { UserView } from '@tollgate/contracts/api/user';
import { role } from '@tollgate/contracts/constants';
import { useSelector } from 'react-redux';
import { remember, remembered } from './preferences.ts';

/** Who is signed in, as far as this browser knows. The proof is an HttpOnly cookie, which only the server can read. */
export type SessionUser = Pick<UserView, 'id' | 'username' | 'display_name' | 'role' | 'group'> & {
  /** Signed in with the default password, which has to be changed. */
  factoryPassword?: boolean;
  /** Then it is not that one, but one that was printed for one sign-in. */
  temporaryPassword?: boolean;
};

export interface SessionState {
  user: SessionUser | null;
  /**
   * How the last session ended: `expired` is what the server said, which the sign-in page explains; `left` was this person's wish;
   * `switched`: somebody else signed in with this browser, in another tab.
   */
  ended: 'expired' | 'left' | 'switched' | null;
  /** Whose session it was that ended without their wish: who signs in next in another tab may be somebody else. */
  lastUserId: number | null;
}

/** Where the browser keeps it. */
export const storageKey = 'user';

/** Who this browser knows as signed in, in whichever tab that was. */
export function storedUser(): SessionUser | null {
  try {
    const user = JSON.parse(remembered(storageKey) ?? 'null') as SessionUser | null;
    return typeof user?.id === 'number' ? user : null;
  } catch {
    return null;
  }
}

/** Whether another tab has signed in somebody else than this one. */
export function isSwitched(id: number): boolean {
  const stored = storedUser();
  return stored !== null && stored.id !== id;
}

const slice = createSlice({
  name: 'session',
  initialState: (): SessionState => ({ user: storedUser(), ended: null, lastUserId: null }),
  reducers: {
    sessionStarted: (_state, { payload }: PayloadAction<SessionUser>) => {
      const { id, username, display_name, role, group, factoryPassword = false, temporaryPassword = false } = payload;
      return { user: { id, username, display_name, role, group, factoryPassword, temporaryPassword }, ended: null, lastUserId: null };
    },
    /** What the server says now: name, rank and group may have changed since signing in. */
    sessionRefreshed: (state, { payload: { id, username, display_name, role, group } }: PayloadAction<SessionUser>) => {
      if (state.user?.id === id) Object.assign(state.user, { username, display_name, role, group });
    },
    passwordChanged: (state) => {
      if (state.user) state.user.factoryPassword = false;
    },
    sessionEnded: ({ user, lastUserId }, { payload }: PayloadAction<'expired' | 'left' | 'switched'>) => ({
      user: null,
      ended: payload,
      lastUserId: payload === 'left' ? null : (user?.id ?? lastUserId),
    }),
  },
});

export const { sessionStarted, sessionRefreshed, sessionEnded, passwordChanged } = slice.actions;
export const sessionReducer = slice.reducer;

/** Keeps the browser's copy of the user in step with the store. */
export function storeSessionUser(user: SessionUser | null): void {
  remember(storageKey, user ? JSON.stringify(user) : undefined);
}

export interface WithSession {
  session: SessionState;
}

export const selectSession = (state: WithSession): SessionState => state.session;

/** Who is signed in; null when nobody is. */
export function useSessionUser(): SessionUser | null {
  return useSelector(selectSession).user;
}

/** Whether the signed-in person ranks at least as high as `rank`. */
export function useHasRole(rank: number): boolean {
  return (useSessionUser()?.role ?? role.guest) >= rank;
}
