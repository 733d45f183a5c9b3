import type {
  EmbedContentConfig,
  GenerateContentConfig,
  GenerateContentParameters,
  GenerationConfig,
  ImageConfig,
  Part,
  ServiceTier,
  Tool,
  ToolConfig,
} from '@google/genai';
import { capped, counted, type FieldsOf, free, priced, refused, untold, type Words } from './words.ts';

/** The fields of a question, of the official client's newest version; `generationConfig` is what the address gets inside of that. */
export const generate = {
  model: free(),
  contents: free(),
  config: untold,
  httpOptions: untold,
  abortSignal: untold,
  automaticFunctionCalling: untold,
  automaticContinuation: untold,
  serviceTier: free(),
  systemInstruction: free({ parts: [{ text: 'Be brief' }] }),
  safetySettings: free([{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }]),
  tools: free(),
  toolConfig: free(),
  labels: free({ trip: 'one' }),
  store: free(false),
  cachedContent: refused('cachedContents/x', 'cachedContent'),
  continuationToken: refused('token', 'continuationToken'),
  modelArmorConfig: priced({ promptTemplateName: 'x' }, 'modelArmorConfig'),
  generationOutputConfig: refused({ outputUriPrefix: 'gs://x' }, 'generationOutputConfig'),
} satisfies Words<FieldsOf<GenerateContentParameters> | Exclude<FieldsOf<GenerateContentConfig>, keyof typeof generationConfig>>;

/** As the address calls what the client names otherwise. */
export const generateOtherwise = {
  outputConfig: refused({ outputUriPrefix: 'gs://x' }, 'outputConfig'),
  cached_content: refused('cachedContents/x', 'cachedContent'),
};

export const generationConfig = {
  temperature: free(0.5),
  topP: free(0.5),
  topK: free(20),
  candidateCount: capped,
  maxOutputTokens: capped,
  stopSequences: free(['END']),
  responseLogprobs: free(true),
  logprobs: free(2),
  presencePenalty: free(0.5),
  frequencyPenalty: free(0.5),
  seed: free(7),
  responseMimeType: free('application/json'),
  responseSchema: free({ type: 'OBJECT' }),
  responseJsonSchema: free(),
  responseFormat: free(),
  responseModalities: counted,
  mediaResolution: counted,
  speechConfig: counted,
  audioTimestamp: free(true),
  thinkingConfig: capped,
  audioTranscriptionConfig: free({}),
  imageConfig: counted,
  enableEnhancedCivicAnswers: free(true),
  enableAffectiveDialog: free(true),
  translationConfig: free({}),
  routingConfig: priced({ autoMode: {} }, 'generationConfig.routingConfig'),
  modelSelectionConfig: priced({ featureSelectionPreference: 'x' }, 'generationConfig.modelSelectionConfig'),
} satisfies Words<FieldsOf<GenerationConfig> | 'imageConfig'>;

export const generationConfigOtherwise = { modelConfig: priced({ x: 1 }, 'generationConfig.modelConfig') };

export const imageConfig = {
  aspectRatio: counted,
  imageSize: counted,
  personGeneration: free(),
  outputMimeType: free(),
  outputCompressionQuality: free(),
  imageOutputOptions: free(),
  prominentPeople: free(),
} satisfies Words<FieldsOf<ImageConfig>>;

export const tiers = {
  unspecified: free('unspecified'),
  standard: free('standard'),
  flex: priced('flex', 'service_tier=flex'),
  priority: priced('priority', 'service_tier=priority'),
} satisfies Words<`${ServiceTier}`>;

const provider = (name: string) => priced([{ [name]: {} }], `tools=${name}`);
export const tools = {
  functionDeclarations: free([{ functionDeclarations: [{ name: 'x' }] }]),
  retrieval: provider('retrieval'),
  googleMaps: provider('googleMaps'),
  mcpServers: provider('mcpServers'),
  codeExecution: free([{ codeExecution: {} }]), // it costs its tokens
  computerUse: free([{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }]),
  enterpriseWebSearch: provider('enterpriseWebSearch'),
  exaAiSearch: provider('exaAiSearch'),
  googleSearch: provider('googleSearch'),
  googleSearchRetrieval: provider('googleSearchRetrieval'),
  parallelAiSearch: provider('parallelAiSearch'),
  urlContext: free([{ urlContext: {} }]),
  fileSearch: provider('fileSearch'),
} satisfies Words<FieldsOf<Tool>>;

export const toolConfig = {
  functionCallingConfig: free({ functionCallingConfig: { mode: 'AUTO' } }),
  retrievalConfig: free({ retrievalConfig: { languageCode: 'en' } }),
  includeServerSideToolInvocations: free({ includeServerSideToolInvocations: true }),
} satisfies Words<FieldsOf<ToolConfig>>;

/** What a message may be made of: all of it weighs. */
export const parts = {
  text: free(),
  thought: free(),
  thoughtSignature: free(),
  functionCall: free(),
  functionResponse: free(),
  executableCode: free(),
  codeExecutionResult: free(),
  toolCall: free(),
  toolResponse: free(),
  partMetadata: free(),
  audioTranscription: free(),
  inlineData: counted,
  fileData: counted,
  videoMetadata: counted,
  mediaResolution: counted,
  mediaProcessing: counted,
  speechMetadata: free(),
} satisfies Words<FieldsOf<Part>>;

export const embed = {
  httpOptions: untold,
  abortSignal: untold,
  taskType: free(),
  title: free(),
  outputDimensionality: free(),
  mimeType: free(),
  autoTruncate: free(),
  documentOcr: refused(true, 'documentOcr'),
  audioTrackExtraction: refused(true, 'audioTrackExtraction'),
} satisfies Words<FieldsOf<EmbedContentConfig>>;
