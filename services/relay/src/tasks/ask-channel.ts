import type { TaskSubmission } from '@tollgate/contracts';
import { type JsonEdits, patchJson, type TaskDialect } from '@tollgate/providers';
import { AppError, egressRefused } from '@tollgate/runtime';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { JsonBody } from '../request/body.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange } from '../upstream/exchange.ts';
import { placeOf } from '../upstream/upstream-request.ts';

const submitMs = 60_000;
const answerMs = 10_000;
const mostAnswerBytes = 1024 * 1024;

interface Question {
  channel: RoutedChannel;
  tasks: TaskDialect;
  model: string;
  path: string;
  body: JsonBody;
  edits: JsonEdits;
}

/**
 * Submits a task to one channel: what its provider says. Nobody's leaving ends this: a task that was taken has to be noted.
 * Throws: UpstreamError, AppError `egress_refused`.
 */
export async function askChannel(relay: Relay, question: Question): Promise<TaskSubmission> {
  let exchange = await answered(send(relay, question));
  if (exchange.wasCutBeforeAnswer) exchange = await answered(send(relay, question, { isAgain: true }));
  const { channel, tasks } = question;
  const bytes = await exchange.whole({ maxBytes: mostAnswerBytes, withinMs: answerMs });
  if (exchange.status !== 200) {
    const answer = { status: exchange.status, body: bytes.toString('utf8'), headers: exchange.headers, atMs: relay.wallet.time() };
    throw channel.provider.error(answer, channel.target.key);
  }
  return tasks.submission(jsonIn(bytes));
}

async function answered(exchange: Exchange): Promise<Exchange> {
  try {
    await exchange.answered;
  } catch (error) {
    if (error instanceof AppError && error.code === 'egress_refused') throw egressRefused('of this channel');
    if (!exchange.wasCutBeforeAnswer) throw error;
  }
  return exchange;
}

function send(relay: Relay, { channel, tasks, model, path, body, edits }: Question, { isAgain = false } = {}): Exchange {
  const target = { ...channel.target, model };
  const url = tasks.submitUrl(path, target);
  const json = patchJson(body.json, edits);
  const way = channel.proxy === undefined ? relay.egress : relay.egress.through(channel.proxy);
  return new Exchange(isAgain ? way.anew : way.dispatcher, {
    ...placeOf(channel, { url, target }),
    headers: {
      ...channel.provider.headers(target),
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
    },
    body: body.long?.whole(json) ?? [json],
    firstByteMs: submitMs,
    silenceMs: answerMs,
  });
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw upstreamFailure('unreadable', 'upstream_bad_answer');
  }
}
