import { type ChannelTestView, testsKept } from '@tollgate/contracts';
import { ChannelTest, type ChannelTestDoc } from '@tollgate/db';
import { channelRow } from './change.ts';

/** Notes a test, and forgets those of its channel that are older than the last ones. */
export async function noteTest(test: ChannelTestDoc): Promise<void> {
  await ChannelTest.create(test);
  const { channelId } = test;
  const oldest = await ChannelTest.findOne({ channelId }).sort({ at: -1 }).skip(testsKept).select('at').lean();
  if (oldest) await ChannelTest.deleteMany({ channelId, at: { $lte: oldest.at } });
}

export async function testsOf(channelId: number): Promise<ChannelTestView[]> {
  await channelRow(channelId);
  const tests = await ChannelTest.find({ channelId }).sort({ at: -1 }).limit(testsKept).lean();
  return tests.map(({ at, model, durationMs, error }) => ({
    time: Math.floor(at.getTime() / 1000),
    model,
    response_time: durationMs,
    error,
  }));
}
