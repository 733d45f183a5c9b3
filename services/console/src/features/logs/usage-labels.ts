import type { UsageDimension } from '@tollgate/contracts';
import { Channel, Token, User } from '@tollgate/db';
import type { Counted } from './usage-steps.ts';

interface Label {
  /** '' where it is gone, or has no name. */
  label: string;
  /** Whose it is, of usage by token or user. */
  owner?: { id: number; username: string };
}

/** What the keys of usage are called today. */
export async function labelsOf(by: UsageDimension, counted: Counted[]): Promise<Map<string, Label>> {
  const keys = [...new Set(counted.map(({ key }) => key))].filter((key) => key !== '');
  if (by === 'model' || by === 'group') return new Map(keys.map((key) => [key, { label: key }]));
  const id = { $in: keys.map(Number) };
  if (by === 'channel') {
    const channels = await Channel.find({ id }).select('id name').lean();
    return new Map(channels.map((channel) => [String(channel.id), { label: channel.name }]));
  }
  if (by === 'user') {
    const users = await namesOf(keys.map(Number));
    return new Map(keys.map((key) => [key, { label: users.get(Number(key)) ?? '', owner: owner(Number(key), users) }]));
  }
  const tokens = await Token.find({ id }).select('id name userId').lean();
  const users = await namesOf(tokens.map(({ userId }) => userId));
  return new Map(tokens.map((token) => [String(token.id), { label: token.name, owner: owner(token.userId, users) }]));
}

async function namesOf(ids: number[]): Promise<Map<number, string>> {
  const users = await User.find({ id: { $in: [...new Set(ids)] } })
    .select('id username')
    .lean();
  return new Map(users.map(({ id, username }) => [id, username]));
}

function owner(id: number, users: Map<number, string>): { id: number; username: string } {
  return { id, username: users.get(id) ?? '' };
}
