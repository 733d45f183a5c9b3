import type { AnyRequest } from './types.ts';

/** What of a request for pictures is read: of `/v1/images/generations` as JSON, of `edits` and `variations` as a form. */
export interface ImageRequest extends AnyRequest {
  /** Variations have none. */
  prompt?: string;
  n?: number | null;
  size?: string | null;
  quality?: string | null;
  response_format?: string | null;
  partial_images?: number | null;
  output_format?: string | null;
  /** Of a picture that moves. */
  frame_count?: number | null;
  complexity?: string | null;
}

export interface ImagesResponse {
  created: number;
  data: { url?: string; b64_json?: string; revised_prompt?: string }[];
  [field: string]: unknown;
}

export interface SpeechRequest extends AnyRequest {
  input: string;
  voice?: unknown;
  instructions?: string | null;
  response_format?: string | null;
  speed?: number | null;
}

/** Of `/v1/audio/transcriptions` and `translations`, which are forms. */
export interface TranscriptionRequest extends AnyRequest {
  prompt?: string;
  language?: string;
  response_format?: string;
}

export interface ModerationRequest extends AnyRequest {
  input: string | string[] | { type?: string; text?: string; [field: string]: unknown }[];
}

/** Jina's shape, which the product family made everybody's. */
export interface RerankRequest extends AnyRequest {
  query: string;
  documents: (string | { text?: string; [field: string]: unknown })[];
  top_n?: number | null;
  return_documents?: boolean | null;
}

export interface RerankResponse {
  model: string;
  results: { index: number; relevance_score: number; document?: unknown }[];
  [field: string]: unknown;
}
