import type { ChannelTypeInfo, TaskNews, TaskSubmission } from '@tollgate/contracts';
import { readError, withoutSecrets } from '../error-text.ts';
import type { JsonObject, Provider, TaskDialect } from '../provider.ts';
import { idOf, keptJson, numberOf, objectOf, progressOf, reasonOf, statusOf, textOf, timeOf, unreadable } from '../task-fields.ts';

/**
 * A proxy before Midjourney. Its callers and it speak the same words: bodies travel through.
 * Source: https://github.com/novicezk/midjourney-proxy
 */
export function midjourneyProxy(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl ?? '',
    headers: ({ key }) => ({ 'mj-api-secret': key, 'content-type': 'application/json' }),
    error: readError,
    tasks: drawing,
  };
}

/** Submitted, done before (or waiting for more to be said), queued. */
const takenCodes = new Set([1, 21, 22]);

const drawing: TaskDialect = {
  kind: 'drawing',
  submitUrl: (path, { baseUrl }) => baseUrl + path,
  submission,
  list: (ids, { baseUrl }) => ({ url: `${baseUrl}/mj/task/list-by-condition`, body: { ids } }),
  news(answer) {
    if (!Array.isArray(answer)) throw unreadable('The drawing proxy did not answer with a list of tasks');
    return answer.flatMap((item) => newsOf(objectOf(item)));
  },
};

function submission(answer: unknown): TaskSubmission {
  const body = objectOf(answer);
  const code = numberOf(body?.code);
  if (body === undefined || !Number.isInteger(code)) throw unreadable('The drawing proxy did not answer with a code');
  const properties = objectOf(body.properties);
  const upstreamId = idOf(body.result);
  const status = statusOf(properties?.status);
  return {
    taken: takenCodes.has(code) && (upstreamId !== '' || Array.isArray(body.result)),
    upstreamId,
    code,
    codeText: String(code),
    description: typeof body.description === 'string' ? withoutSecrets(body.description) : '',
    known: code === 21 && status !== '' ? { status, imageUrl: textOf(properties?.imageUrl) } : undefined,
    properties: keptJson(body.properties),
    result: body.result,
  };
}

function newsOf(item: JsonObject | undefined): TaskNews[] {
  const upstreamId = idOf(item?.id);
  if (item === undefined || upstreamId === '') return [];
  return [
    {
      upstreamId,
      action: textOf(item.action),
      status: statusOf(item.status),
      progress: progressOf(item.progress),
      failReason: reasonOf(item.failReason),
      startedAtMs: timeOf(item.startTime, 1),
      endedAtMs: timeOf(item.finishTime, 1),
      prompt: textOf(item.prompt),
      promptEn: textOf(item.promptEn),
      description: textOf(item.description),
      state: textOf(item.state),
      imageUrl: textOf(item.imageUrl),
      buttons: keptJson(item.buttons),
      properties: keptJson(item.properties),
      data: undefined,
    },
  ];
}
