/** A field by which a request names what is kept at a provider, in the account of the channel. */
interface ResourceField {
  field: string;
  /** Only within this field: the name alone means something else elsewhere. */
  within?: string;
  /** Only where this field is missing beside it. */
  unless?: string;
}

interface ProviderResources {
  provider: string;
  source: string;
  fields: readonly ResourceField[];
}

const anywhere = (...fields: string[]): ResourceField[] => fields.map((field) => ({ field }));
const within = (field: string, ...holders: string[]): ResourceField[] => holders.map((holder) => ({ field, within: holder }));

/** What the APIs of providers let a request name by an id or a path. Read on 2026-11-26. */
export const accountResources: readonly ProviderResources[] = [
  {
    provider: 'OpenAI',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    fields: [
      ...anywhere('file_id', 'file_ids', 'previous_response_id', 'vector_store_id', 'vector_store_ids', 'container_id', 'skill_id'),
      ...anywhere('container'), // a text: the id of one; an object says how to make one
      ...within('id', 'audio', 'voice', 'prompt', 'conversation', 'container'),
      { field: 'id', within: 'image_generation_call', unless: 'result' },
    ],
  },
  {
    provider: 'Anthropic',
    source: 'https://docs.anthropic.com/en/api/messages',
    fields: [...anywhere('file_id', 'skill_id', 'container', 'user_profile_id', 'workspace_id'), ...within('id', 'container')],
  },
  {
    provider: 'Google',
    source: 'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Tool',
    fields: [
      ...anywhere('fileId', 'fileIds', 'cached_content', 'cachedContent', 'previousResponseId', 'gcs_uri', 'gcsUri'),
      ...anywhere('file_search_store_names', 'fileSearchStoreNames', 'rag_corpus', 'ragCorpus', 'rag_corpora', 'ragCorpora'),
      ...anywhere('datastore', 'data_store', 'dataStore', 'rag_file_ids', 'ragFileIds'),
      ...within('engine', 'vertexAiSearch', 'vertex_ai_search'),
      // Secrets and identities that the provider uses toward third parties: https://docs.cloud.google.com/python/docs/reference/aiplatform/latest/google.cloud.aiplatform_v1beta1.types.AuthConfig.ApiKeyConfig
      ...anywhere(
        'api_key_secret_version',
        'apiKeySecretVersion',
        'api_key_secret',
        'apiKeySecret',
        'credential_secret',
        'credentialSecret',
      ),
      ...anywhere('service_account', 'serviceAccount'),
    ],
  },
  {
    provider: 'Mistral',
    source: 'https://docs.mistral.ai/agents/connectors/document_library/',
    fields: anywhere('library_ids', 'libraryIds', 'agent_id', 'agentId'),
  },
  {
    provider: 'xAI',
    source: 'https://docs.x.ai/docs/guides/using-collections',
    fields: anywhere('collection_ids', 'collectionIds', 'vector_store_ids', 'vectorStoreIds'),
  },
  {
    provider: 'Amazon Bedrock',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
    fields: [
      ...anywhere('guardrailIdentifier', 'guardrail_identifier', 'guardrailArn', 'knowledgeBaseId', 'knowledge_base_id', 'promptArn'),
      ...within('uri', 's3Location', 's3_location'),
    ],
  },
  {
    provider: 'Azure OpenAI',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data',
    fields: anywhere('data_sources', 'dataSources'),
  },
  { provider: 'Cohere', source: 'https://docs.cohere.com/docs/managing-your-connector', fields: within('id', 'connectors') },
  {
    provider: 'Alibaba Model Studio',
    source: 'https://help.aliyun.com/zh/model-studio/developer-reference/call-application-through-api',
    fields: anywhere('pipeline_ids', 'memory_id'),
  },
  { provider: 'Dify', source: 'https://docs.dify.ai/api-reference/chat/send-chat-message', fields: anywhere('upload_file_id') },
  { provider: 'Zhipu', source: 'https://docs.bigmodel.cn/cn/guide/tools/knowledge/retrieval', fields: anywhere('knowledge_id') },
  { provider: 'Volcengine', source: 'https://www.volcengine.com/docs/82379/1396491', fields: anywhere('context_id') },
  { provider: 'FastGPT', source: 'https://doc.fastgpt.io/docs/introduction/development/openapi/chat', fields: anywhere('chatId') },
];

/** A message that is only this names a file at DashScope. Source: https://help.aliyun.com/zh/model-studio/long-context-qwen-long */
export const fileMark = 'fileid://';

/** A message of this role names what is cached at Moonshot. Source: https://platform.moonshot.cn/blog/posts/enhance-kimi-api-bot-with-context-caching-2 */
export const cacheRole = 'cache';
