import type { ChannelTypeInfo, TaskNews, TaskSubmission } from '@tollgate/contracts';
import { readError, withoutSecrets } from '../error-text.ts';
import type { JsonObject, Provider, TaskDialect } from '../provider.ts';
import { idOf, keptJson, objectOf, progressOf, reasonOf, statusOf, textOf, timeOf, unreadable } from '../task-fields.ts';

/** Music and lyrics. Source: https://github.com/Suno-API/Suno-API */
export function suno(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl ?? '',
    headers: ({ key }) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' }),
    error: readError,
    tasks: music,
  };
}

const music: TaskDialect = {
  kind: 'music',
  submitUrl: (path, { baseUrl }) => baseUrl + path,
  submission,
  list: (ids, { baseUrl }) => ({ url: `${baseUrl}/suno/fetch`, body: { ids } }),
  news(answer) {
    const body = objectOf(answer);
    if (body?.code !== 'success') throw unreadable('The music provider did not answer with its tasks');
    if (body.data !== null && body.data !== undefined && !Array.isArray(body.data)) throw unreadable('Its tasks are no list');
    return ((body.data ?? []) as unknown[]).flatMap((item) => newsOf(objectOf(item)));
  },
};

function submission(answer: unknown): TaskSubmission {
  const body = objectOf(answer);
  if (body === undefined || typeof body.code !== 'string') throw unreadable('The music provider did not answer with a code');
  const upstreamId = idOf(body.data);
  const taken = body.code === 'success' && upstreamId !== '';
  return {
    taken,
    upstreamId,
    code: taken ? 1 : 0,
    codeText: textOf(body.code),
    description: typeof body.message === 'string' ? withoutSecrets(body.message) : '',
    known: undefined,
    properties: undefined,
    result: body.data,
  };
}

/** Its times are in seconds. */
const second = 1_000;

function newsOf(item: JsonObject | undefined): TaskNews[] {
  const upstreamId = idOf(item?.task_id);
  if (item === undefined || upstreamId === '') return [];
  return [
    {
      upstreamId,
      action: textOf(item.action),
      status: statusOf(item.status),
      progress: progressOf(item.progress),
      failReason: reasonOf(item.fail_reason),
      startedAtMs: timeOf(item.start_time, second),
      endedAtMs: timeOf(item.finish_time, second),
      prompt: '',
      promptEn: '',
      description: '',
      state: '',
      imageUrl: '',
      buttons: undefined,
      properties: undefined,
      data: keptJson(item.data),
    },
  ];
}
