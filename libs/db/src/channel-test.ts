import { type InferSchemaType, model, Schema } from 'mongoose';

/** A test of a channel. The latest ones of each channel are kept. */
const channelTestSchema = new Schema(
  {
    channelId: { type: Number, required: true },
    at: { type: Date, required: true },
    model: { type: String, required: true },
    durationMs: { type: Number, required: true },
    /** In English; '' when the test passed. */
    error: { type: String, default: '' },
  },
  { versionKey: false },
);
channelTestSchema.index({ channelId: 1, at: -1 });

export type ChannelTestDoc = InferSchemaType<typeof channelTestSchema>;
export const ChannelTest = model('ChannelTest', channelTestSchema, 'channel_tests');
