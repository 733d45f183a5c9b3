import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';
import { api } from '../shared/api.ts';
import { sessionReducer, storeSessionUser } from '../shared/session.ts';

export const store = configureStore({
  reducer: { session: sessionReducer, [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults().concat(api.middleware),
});
setupListeners(store.dispatch);

let user = store.getState().session.user;
store.subscribe(() => {
  const next = store.getState().session.user;
  if (next === user) return;
  const changedPerson = next?.id !== user?.id;
  user = next;
  storeSessionUser(next);
  // What one person saw is not shown to the next one.
  if (changedPerson) store.dispatch(api.util.resetApiState());
});
