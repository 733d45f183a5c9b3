import type { OptionDescription, OptionView, UpdateOptionsBody } from '@tollgate/contracts/api/option';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

/** An option, what it is and what it holds; of a secret one nobody tells the text. */
export interface Setting extends OptionDescription {
  value: string;
  version: number;
}

const optionsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listOptions: build.query({
      ...calls(() => call('GET /api/option', { whole: true })),
      providesTags: ['Option'],
    }),
    updateOptions: build.mutation({
      ...calls((body: UpdateOptionsBody) => call('PUT /api/option/batch', { body })),
      invalidatesTags: (_answer, error) => (error ? ['Option'] : ['Option', 'Status', 'Self', 'Group', 'Model']),
    }),
    cleanLogs: build.mutation({
      ...calls((before: number) => call('DELETE /api/log', { query: { target_timestamp: before } })),
      invalidatesTags: ['Log'],
    }),
    weeksUsage: build.query(
      calls(({ from, to }: { from: number; to: number }) =>
        call('GET /api/data', { query: { start_timestamp: from, end_timestamp: to, by: 'model', default_time: 'total' } }),
      ),
    ),
    testMail: build.mutation({
      ...calls((email: string) => call('POST /api/option/test_mail', { body: { email } })),
      extraOptions: { patient: true },
    }),
    testOidc: build.mutation({
      ...calls(() => call('POST /api/option/test_oidc')),
      extraOptions: { patient: true },
    }),
  }),
});

export const {
  useListOptionsQuery,
  useUpdateOptionsMutation,
  useCleanLogsMutation,
  useTestMailMutation,
  useTestOidcMutation,
  useWeeksUsageQuery,
} = optionsApi;

/** What is described, each with its text. */
export function settingsOf({ data, described }: { data: OptionView[]; described: OptionDescription[] }): Setting[] {
  const views = new Map(data.map((view) => [view.key, view]));
  return described.map((option) => ({
    ...option,
    value: views.get(option.key)?.value ?? '',
    version: views.get(option.key)?.version ?? 0,
  }));
}
