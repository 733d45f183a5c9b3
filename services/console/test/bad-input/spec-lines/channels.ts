import { type Ask, parameter } from '../both-languages.ts';
import { atLeast, empty, invisible, noInteger, noMapping, noText, notFound, notPlain, oneOf, type Row } from './lines.ts';

const channel = (change: object): Ask => [
  'POST',
  '/api/channel/',
  { name: 'c', type: 1, key: 'sk-x', models: 'gpt-4o', base_url: 'https://up.example', ...change },
];
const tag = (change: object): Ask => ['PUT', '/api/channel/tag', { tag: 'main', ...change }];

/** Channels and their tags. */
export const channels: Row[] = [
  ['a channel has a name', 'admin', channel({ name: ' ' }), empty('name')],
  ['… and a key', 'admin', channel({ key: ' \n' }), parameter('key: a channel needs a key', 'key: 渠道需要密钥')],
  [
    '… that a header can carry',
    'admin',
    channel({ key: 'sk-密' }),
    parameter('key: must be plain text on one line', '密钥只能包含单行可见 ASCII 字符'),
  ],
  [
    '… and a model',
    'admin',
    channel({ models: ',' }),
    parameter('models: a channel needs at least one model', 'models: 渠道至少需要一个模型'),
  ],
  ['… whose name can be read', 'admin', channel({ models: 'gpt-4o,gpt\u0000' }), invisible('models')],
  [
    '… and is no book',
    'admin',
    channel({ models: `gpt-4o,${'x'.repeat(256)}` }),
    parameter('models: a name in it has more than 255 characters', 'models: 其中有名称超过 255 个字符'),
  ],
  ['… and a type', 'admin', channel({ type: 999 }), parameter('type: is not a known channel type', 'type: 不是已知的渠道类型')],
  ['a mapping is JSON', 'admin', channel({ model_mapping: '{"a":' }), noMapping],
  ['… an object', 'admin', channel({ model_mapping: '["a"]' }), noMapping],
  [
    '… of names',
    'admin',
    channel({ model_mapping: '{"a":1}' }),
    parameter('model_mapping: must map model names to model names', 'model_mapping: 必须是模型名称之间的映射'),
  ],
  [
    'statuses are statuses',
    'admin',
    channel({ status_code_mapping: '{"200":"500"}' }),
    parameter(
      'status_code_mapping: must map HTTP statuses from 300 to 599 to others',
      'status_code_mapping: 必须是 300 至 599 之间 HTTP 状态码的映射',
    ),
  ],
  [
    'settings are known ones',
    'admin',
    channel({ setting: '{"nonsense":1}' }),
    parameter('setting: has fields that nobody knows: nonsense', 'setting: 包含未知字段：nonsense'),
  ],
  ['… each of its kind', 'admin', channel({ setting: '{"proxy":1}' }), noText('setting.proxy')],
  [
    '… headers on one line',
    'admin',
    channel({ setting: '{"header_override":{"X-A":"a\\r\\nX-B: b"}}' }),
    notPlain('setting.header_override.X-A'),
  ],
  [
    '… and none of ours',
    'admin',
    channel({ setting: '{"header_override":{"Host":"a"}}' }),
    parameter('setting.header_override.Host: is a header that a channel may not set', 'setting.header_override.Host: 渠道不能设置该请求头'),
  ],
  [
    '… not deeper than a stack',
    'admin',
    channel({ setting: `{"param_override":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}` }),
    parameter('setting: is nested too deeply', 'setting: 嵌套层数过多'),
  ],
  [
    'an organization is the value of a header',
    'admin',
    channel({ openai_organization: 'org\r\nX-Other: b' }),
    notPlain('openai_organization'),
  ],
  ['an address stands on one line', 'admin', channel({ base_url: 'https://up.exa\nmple' }), invisible('base_url')],
  ['priority is -999 at least', 'admin', channel({ priority: -1000 }), atLeast('priority', -999)],
  ['… and whole', 'admin', channel({ priority: 1.5 }), noInteger('priority')],
  ['weight is whole', 'admin', channel({ weight: 0.5 }), noInteger('weight')],
  ['auto-ban is 0 or 1', 'admin', channel({ auto_ban: 2 }), oneOf('auto_ban', '0, 1')],
  ['a tag stands on one line', 'admin', channel({ tag: 'a\nb' }), invisible('tag')],
  ['a group is one that there is', 'admin', channel({ group: 'default,nowhere' }), ['Unknown group: nowhere', '不存在分组 nowhere']],
  ['an edit names a channel that is there', 'admin', ['PUT', '/api/channel/', { id: 999_999, name: 'x' }], notFound],
  ['a status is one of three', 'admin', ['PUT', '/api/channel/', { id: 1, status: 5 }], oneOf('status', '1, 2, 3')],
  [
    'models are asked for with a key',
    'admin',
    ['POST', '/api/channel/fetch_models', { type: 1, key: '' }],
    parameter('key: is needed to ask for the models', 'key: 获取模型列表需要密钥'),
  ],
  ['a tag is put on some channels', 'admin', ['POST', '/api/channel/batch/tag', { ids: [], tag: 'a' }], empty('ids')],
  ['channels are deleted, not none', 'admin', ['POST', '/api/channel/batch', { ids: [] }], empty('ids')],
  ['a tag that is switched has a name', 'admin', ['POST', '/api/channel/tag/enabled', { tag: ' ' }], empty('tag')],
  ['an edit of a tag changes something', 'admin', tag({}), parameter('nothing to change', '没有需要更改的内容')],
  ['… its mapping is JSON', 'admin', tag({ model_mapping: 'x' }), noMapping],
  ['… its priority whole', 'admin', tag({ priority: 0.5 }), noInteger('priority')],
  ['… its weight not negative', 'admin', tag({ weight: -1 }), atLeast('weight', 0)],
];
