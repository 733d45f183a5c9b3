import {
  type CallsRecorded,
  callsRecorded,
  callsRecordedVersion,
  type TaskFailed,
  taskFailed,
  taskFailedVersion,
  type UsageRecorded,
  usageRecorded,
  usageRecordedVersion,
} from '@tollgate/contracts';
import type { Topic } from './bus.ts';

/** Every topic. To add one: a schema in `contracts`, a line here. */
export const topics = {
  /** One answered call. Key: the user's id, so that one wallet's events stay in order. */
  usageRecorded: { name: 'usage.recorded', schema: usageRecorded, version: usageRecordedVersion } satisfies Topic<UsageRecorded>,
  /** A charged task that failed. Key: the user's id. */
  taskFailed: { name: 'task.failed', schema: taskFailed, version: taskFailedVersion } satisfies Topic<TaskFailed>,
  /** What a relay process saw of calls that failed and of channels. Key: the process. */
  callsRecorded: { name: 'calls.recorded', schema: callsRecorded, version: callsRecordedVersion } satisfies Topic<CallsRecorded>,
};
