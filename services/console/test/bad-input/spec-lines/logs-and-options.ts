import { parameter } from '../both-languages.ts';
import { noText, oneOf, type Row } from './lines.ts';

/** Logs, options, and ids in addresses. */
export const logsAndOptions: Row[] = [
  ['a clean-up has a moment', 'root', ['DELETE', '/api/log/'], parameter('target_timestamp is needed', '需要 target_timestamp')],
  [
    '… that is one',
    'root',
    ['DELETE', '/api/log/?target_timestamp=yesterday'],
    parameter('target_timestamp is needed', '需要 target_timestamp'),
  ],
  ['… after 1970', 'root', ['DELETE', '/api/log/?target_timestamp=-1'], parameter('target_timestamp is needed', '需要 target_timestamp')],
  ['usage is told apart by what it has', 'admin', ['GET', '/api/data/?by=colour'], oneOf('by', 'model, token, channel, group, user')],
  [
    '… of a span that is not endless',
    'user',
    ['GET', '/api/data/self?start_timestamp=1&end_timestamp=9000000'],
    parameter('the span is longer than 31 days', '时间跨度超过 31 天'),
  ],
  [
    'an option is one',
    'root',
    ['PUT', '/api/option/', { key: 'NoSuchOption', value: '' }],
    ['Unknown option: NoSuchOption', '不存在的配置项 NoSuchOption'],
  ],
  ['… and a text', 'root', ['PUT', '/api/option/', { key: 'RetryTimes', value: 3 }], noText('value')],
  [
    'the id in an address is a number',
    'user',
    ['GET', '/api/token/one'],
    parameter('the id in the address must be a number', '地址中的 id 必须是数字'),
  ],
];
