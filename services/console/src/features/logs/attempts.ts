import type { FailedAttempt, LogDetails, PassedOver } from '@tollgate/contracts';

type AdminInfo = NonNullable<LogDetails['admin_info']>;

/** What administrators see of the attempts of a call and of the channels that it passed over. */
export function attemptViews(
  attempts: readonly FailedAttempt[] | undefined,
  passedOver: readonly PassedOver[] | undefined,
): Pick<AdminInfo, 'attempts' | 'passed_over'> {
  return {
    ...(attempts && {
      attempts: attempts.map(({ channelId, channelName, keyId, status, kind, message, durationMs, priority, weight }) => ({
        ...{ channel: channelId, channel_name: channelName, ...(keyId && { key_id: keyId }), status_code: status, kind, message },
        ...{ duration_ms: durationMs, priority, weight },
      })),
    }),
    ...(passedOver && {
      passed_over: passedOver.map(({ channelId, channelName, reason }) => ({ channel: channelId, channel_name: channelName, reason })),
    }),
  };
}
