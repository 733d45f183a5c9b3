import type { ImageRequest, ModerationRequest, RerankRequest, SpeechRequest, TranscriptionRequest } from '@tollgate/providers';
import { imageEdits, images, imageVariations } from '../../modes/images.ts';
import { moderations } from '../../modes/moderations.ts';
import { rerank } from '../../modes/rerank.ts';
import { speech } from '../../modes/speech.ts';
import { transcription, translation } from '../../modes/transcription.ts';
import type { RelayRoute } from '../../pipeline/route.ts';
import {
  asItCame,
  eventsAsTheyCame,
  imagesAnswer,
  picturesAsEvents,
  rerankAnswer,
  speechAnswer,
  transcriptAnswer,
  transcriptAsEvents,
  transcriptType,
} from './media-answers.ts';
import { imageForm, imageRequest, moderationRequest, rerankRequest, speechRequest, transcriptionForm } from './media-requests.ts';
import { openai } from './openai.ts';

const common = { dialect: openai, writer: () => eventsAsTheyCame };

/** POST /v1/images/generations. */
export const imagesRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: images,
  read: imageRequest,
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/images/edits. */
export const imageEditsRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: imageEdits,
  takesForm: true,
  read: (sent) => imageForm(sent, { needsPrompt: true }),
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/images/variations. */
export const imageVariationsRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: imageVariations,
  takesForm: true,
  read: (sent) => imageForm(sent, { needsPrompt: false }),
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/audio/speech. */
export const speechRoute: RelayRoute<SpeechRequest> = { ...common, rules: speech, read: speechRequest, whole: speechAnswer };

/** POST /v1/audio/transcriptions. */
export const transcriptionRoute: RelayRoute<TranscriptionRequest> = {
  ...common,
  rules: transcription,
  takesForm: true,
  read: transcriptionForm,
  whole: transcriptAnswer,
  typeOf: transcriptType,
  asEvents: transcriptAsEvents,
};

/** POST /v1/audio/translations. */
export const translationRoute: RelayRoute<TranscriptionRequest> = { ...transcriptionRoute, rules: translation };

/** POST /v1/moderations. */
export const moderationsRoute: RelayRoute<ModerationRequest> = { ...common, rules: moderations, read: moderationRequest, whole: asItCame };

/** POST /v1/rerank. */
export const rerankRoute: RelayRoute<RerankRequest> = { ...common, rules: rerank, read: rerankRequest, whole: rerankAnswer };
