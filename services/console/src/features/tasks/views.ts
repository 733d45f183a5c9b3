import type { DrawingView, TaskView } from '@tollgate/contracts';
import type { TaskDoc } from '@tollgate/db';

export type TaskRow = TaskDoc;

interface Shown {
  /** Its owner sees it: not where it was sent. */
  isOwn: boolean;
}

export function drawingView(task: TaskRow, { image, isOwn }: Shown & { image: string }): DrawingView {
  return {
    ...common(task, isOwn),
    submit_time: task.at.getTime(),
    start_time: task.startedAt?.getTime() ?? 0,
    finish_time: task.endedAt?.getTime() ?? 0,
    mj_id: task.upstreamId ?? '',
    code: task.code,
    prompt: task.prompt,
    prompt_en: task.promptEn,
    description: task.description,
    state: task.state,
    image_url: image,
    buttons: jsonText(task.buttons),
    properties: jsonText(task.properties),
  };
}

export function musicView(task: TaskRow, { isOwn }: Shown): TaskView {
  return {
    ...common(task, isOwn),
    submit_time: seconds(task.at),
    start_time: seconds(task.startedAt),
    finish_time: seconds(task.endedAt),
    created_at: seconds(task.at),
    updated_at: seconds(task.updatedAt),
    task_id: task.upstreamId ?? '',
    platform: 'suno',
    properties: { input: task.prompt },
    data: task.data ?? null,
  };
}

function common(task: TaskRow, isOwn: boolean) {
  return {
    id: task.id,
    user_id: task.userId,
    username: task.username,
    channel_id: isOwn ? 0 : task.channelId,
    action: task.action,
    status: task.status || 'NOT_START',
    progress: task.progress,
    fail_reason: task.failReason,
    quota: task.quota,
    refund: task.refund ?? ('' as const),
  };
}

function seconds(date: Date | null | undefined): number {
  return Math.floor((date?.getTime() ?? 0) / 1000);
}

function jsonText(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
