import type { TaskRow } from '@tollgate/db';
import type { JsonObject } from '@tollgate/providers';
import type { Relay } from '../context/relay.ts';

/** A drawing as midjourney-proxy tells of one. Times in ms since 1970; 0: not yet. */
export function drawingView(row: TaskRow, imageUrl: string): JsonObject {
  return {
    id: row.upstreamId ?? '',
    action: row.action,
    customId: row.customId ?? '',
    botType: row.botType ?? '',
    prompt: row.prompt,
    promptEn: row.promptEn ?? '',
    description: row.description ?? '',
    state: row.state ?? '',
    submitTime: row.at.getTime(),
    startTime: row.startedAt?.getTime() ?? 0,
    finishTime: row.endedAt?.getTime() ?? 0,
    imageUrl,
    status: row.status,
    progress: row.progress,
    failReason: row.failReason,
    buttons: row.buttons ?? [],
    maskBase64: '',
    properties: row.properties ?? {},
  };
}

/** Where a caller finds a picture: here, by a link that expires, or at its source. */
export function imageAddress(relay: Relay, row: TaskRow, host: string | undefined): string {
  const url = row.imageUrl ?? '';
  const { MjForwardUrlEnabled, ServerAddress } = relay.settings.options;
  if (url === '' || !MjForwardUrlEnabled) return url;
  const server = ServerAddress || `http://${host ?? 'localhost'}`;
  return server + relay.images.link(row._id, { url, nowMs: relay.wallet.time() });
}

/** Music as Suno-API tells of it. Times in seconds; 0: not yet. */
export function musicView(row: TaskRow): JsonObject {
  const seconds = (at: Date | null) => Math.floor((at?.getTime() ?? 0) / 1000);
  return {
    task_id: row.upstreamId ?? '',
    action: row.action,
    status: row.status,
    fail_reason: row.failReason,
    submit_time: seconds(row.at),
    start_time: seconds(row.startedAt),
    finish_time: seconds(row.endedAt),
    progress: row.progress,
    data: row.data ?? null,
  };
}
