import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { hostedMessages } from '../anthropic/hosted.ts';
import { modelOf } from '../anthropic/request.ts';
import { awsEvents, modelFailure } from '../aws-events.ts';
import { readError } from '../error-text.ts';
import { keyParts } from '../key-parts.ts';
import { joinUrl } from '../openai/url.ts';
import type { ChunkDecoder, JsonObject, Provider, UsageReading } from '../provider.ts';
import { eventObject } from '../read-answer-shape.ts';
import { type FailedAnswer, UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';
import { bedrockModelId } from './model-id.ts';
import { signV4 } from './sign.ts';

const known = new Set([
  ...['anthropic_version', 'anthropic_beta', 'system', 'messages', 'max_tokens', 'temperature', 'top_p', 'top_k'],
  ...['stop_sequences', 'tools', 'tool_choice', 'thinking', 'output_config'],
]);

/**
 * Anthropic's models on AWS Bedrock: Messages in a signed call, answers in frames of Amazon's own.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
 */
export function bedrock(info: ChannelTypeInfo): Provider {
  const partsOf = (key: string) => keyParts(info.type, key);
  const regionOf = (key: string) => partsOf(key)[2] ?? '';
  const messages = hostedMessages({ version: 'bedrock-2023-05-31', known, hostsNoTools: true });
  return {
    baseUrl: '',
    baseUrlOf: ({ key }) => `https://bedrock-runtime.${hostPart(regionOf(key))}.amazonaws.com`,
    headers: () => ({}),
    sign: (call) => signV4(call, info.type),
    error: readBedrockError,
    chat: {
      ...messages,
      framing: awsEvents,
      url(request, target) {
        const id = bedrockModelId(modelOf(target), regionOf(target.key));
        const method = request.stream === true ? 'invoke-with-response-stream' : 'invoke';
        return joinUrl(target.baseUrl, `/model/${encodeURIComponent(id)}/${method}`);
      },
      decodeStream: (stamp) => withMetrics(messages.decodeStream(stamp)),
    },
  };
}

/** A region, which is to be a part of a host's name and nothing else. */
function hostPart(region: string): string {
  return region.replace(/[^a-z0-9-]/gi, '');
}

/** Amazon counts at the end of a stream what Anthropic may not have. */
function withMetrics(decoder: ChunkDecoder): ChunkDecoder {
  let metrics: UsageReading | undefined;
  return {
    push(event) {
      if (event.event === 'message_stop') metrics = metricsIn(eventObject(event.data)) ?? metrics;
      return decoder.push(event);
    },
    get state() {
      return decoder.state;
    },
    get usage() {
      return decoder.usage ?? metrics;
    },
    get keptBytes() {
      return decoder.keptBytes;
    },
  };
}

function metricsIn(event: JsonObject | undefined): UsageReading | undefined {
  const stated = event?.['amazon-bedrock-invocationMetrics'] as JsonObject | null | undefined;
  if (!stated) return undefined;
  return usageReading((count) => ({
    ...noUsage,
    textInput: count('inputTokenCount', stated.inputTokenCount),
    textOutput: count('outputTokenCount', stated.outputTokenCount),
  }));
}

/** Kinds of refusal that speak of the key itself; the others of what it may do. */
const credentialKinds = new Set([
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
]);

/** The kind of a refusal stands in a header, its text in `message` or `Message`. */
function readBedrockError(answer: FailedAnswer, key: string): UpstreamError {
  const stated = answer.headers?.['x-amzn-errortype'];
  const type = (Array.isArray(stated) ? stated[0] : stated)?.split(':')[0];
  const { Message: message } = eventObject(answer.body) ?? {};
  const body = typeof message === 'string' ? JSON.stringify({ message }) : answer.body;
  const status = answer.status === 424 ? modelFailure : answer.status;
  const error = readError({ ...answer, status, body }, key);
  const kind = credentialKinds.has(type ?? '') ? 'credentials' : error.kind;
  return new UpstreamError({ ...error, kind, message: error.message, type: type ?? error.type });
}
