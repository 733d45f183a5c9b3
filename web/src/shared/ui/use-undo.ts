import { useTranslation } from 'react-i18next';
import { api } from '../api.ts';
import { call, calls } from '../call.ts';
import { messageOf } from './error-notice.tsx';
import { type ToastAction, toast } from './toasts.ts';

const { useTakeBackMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    takeBack: build.mutation({
      ...calls((id: string) => call('POST /api/undo', { body: { id } })),
      invalidatesTags: ['Channel', 'Token', 'Redemption', 'User'],
    }),
  }),
});

/** What a toast offers beside its words where the server can take the deed back, as `undo` in its answer says. */
export function useUndo(): (answer: { undo?: string }) => ToastAction | undefined {
  const { t } = useTranslation('shared');
  const [takeBack] = useTakeBackMutation();
  const run = async (id: string): Promise<void> => {
    const { data, error } = await takeBack(id);
    if (error) return toast('error', messageOf(error));
    const { undone, of } = data;
    if (undone === of) toast('success', t('undone', { count: undone }));
    else toast('warning', t('undoneSome', { count: undone, of }));
  };
  return ({ undo }) => (undo === undefined ? undefined : { label: t('undo'), run: () => void run(undo) });
}
