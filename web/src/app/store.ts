import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';
import { api } from '../shared/api.ts';
import { dropDraftsOf } from '../shared/form/drafts.ts';
import { isSwitched, sessionEnded, sessionReducer, sessionStarted, storageKey, storedUser, storeSessionUser } from '../shared/session.ts';

export const store = configureStore({
  reducer: { session: sessionReducer, [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults().concat(api.middleware),
});
setupListeners(store.dispatch);

let user = store.getState().session.user;
store.subscribe(() => {
  const { user: next, ended } = store.getState().session;
  if (next === user) return;
  const before = user;
  user = next;
  // What the browser knows may be newer: another tab's person is not forgotten for ours.
  if (next || (ended !== 'switched' && !(before && isSwitched(before.id)))) storeSessionUser(next);
  if (before && ended === 'left') dropDraftsOf(before.id);
  // What one person saw is not shown to the next one.
  if (before?.id !== next?.id) store.dispatch(api.util.resetApiState());
});

/** Follows what other tabs of this browser do: the session is the browser's, not the tab's. */
function followOtherTabs(): void {
  const stored = storedUser();
  const { user: here, lastUserId } = store.getState().session;
  if (stored?.id === here?.id) return;
  if (!stored) return void store.dispatch(sessionEnded('expired'));
  // The server may have refused the last person's calls before this tab hears who came after them.
  const known = here?.id ?? lastUserId ?? stored.id;
  store.dispatch(known === stored.id ? sessionStarted(stored) : sessionEnded('switched'));
}
addEventListener('storage', ({ key }) => {
  if (key === storageKey || key === null) followOtherTabs();
});
// A tab that slept was told nothing.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && storedUser()) followOtherTabs();
});
