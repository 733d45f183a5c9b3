import { type ChannelSettings, writtenLike } from '@tollgate/contracts';
import { AuditLog, Channel, isSealed, resealed, seal, unseal } from '@tollgate/db';
import { type Egress, type Logger, proxyAddress } from '@tollgate/runtime';

const place = 'channel proxy';

/** The extra settings without the name and password of a proxy, whether they are sealed or not; nothing of a text that cannot be read. */
export function settingWithoutSecret(setting: string): string {
  return settingsIn(setting) === undefined ? '' : withProxy(setting, (proxy) => masked(opened(proxy)));
}

/**
 * Extra settings as they are stored: a proxy's name and password are sealed. One that comes back as it was shown is the one that
 * stands. Throws: AppError when it is no proxy's address, or leads where calls may not.
 */
export function settingToStore(egress: Egress, wanted: string, stored = ''): string {
  const before = storedProxy(stored);
  return withProxy(wanted, (proxy) => {
    if (before !== undefined && proxy === masked(opened(before))) return before;
    const address = proxyAddress(proxy);
    egress.check(`http://${address.host}`);
    return masked(proxy) === proxy ? proxy : seal(proxy, place);
  });
}

/** The proxy that a channel's calls go through, as it was typed. Throws when it was sealed under another master key. */
export function proxyOf(setting: string): string | undefined {
  const stored = storedProxy(setting);
  return stored !== undefined && isSealed(stored) ? unseal(stored, place) : stored;
}

/** The settings with their proxy under the newest master key. Throws when no key opens it. */
export function resealedProxy(setting: string): string {
  return withProxy(setting, (proxy) => (isSealed(proxy) ? resealed(proxy, place) : proxy));
}

/** The proxy in a channel's settings as it stands there, sealed where it has a name and a password. */
export function storedProxy(setting: string): string | undefined {
  return settingsIn(setting)?.proxy || undefined;
}

/**
 * Seals the proxies with a name or password that channels were given by a version which kept them as they came, and takes them out of
 * those channels' audit log.
 */
export async function sealOlderProxies(log: Logger): Promise<void> {
  for (const { id, setting } of await Channel.find({ setting: { $gt: '' } })
    .select('id setting')
    .lean()) {
    try {
      const sealed = withProxy(setting, (proxy) => (masked(proxy) === proxy ? proxy : seal(proxy, place)));
      if (sealed === setting) continue;
      await maskAudited(`channel:${id}`);
      await Channel.updateOne({ id, setting }, { $set: { setting: sealed } });
    } catch (error) {
      log.warn({ err: error, channelId: id }, 'the proxy of a channel could not be sealed');
    }
  }
}

async function maskAudited(target: string): Promise<void> {
  const told = { target, $or: [{ 'before.setting': { $gt: '' } }, { 'after.setting': { $gt: '' } }] };
  for (const row of await AuditLog.find(told).lean()) {
    for (const side of ['before', 'after'] as const) {
      const setting = (row[side] as { setting?: unknown } | undefined)?.setting;
      if (typeof setting !== 'string') continue;
      await AuditLog.updateOne({ _id: row._id }, { $set: { [`${side}.setting`]: settingWithoutSecret(setting) } });
    }
  }
}

/** The settings written anew with another proxy. A text that cannot be read stays: no call is made with it. */
function withProxy(setting: string, change: (proxy: string) => string): string {
  const settings = settingsIn(setting);
  if (settings === undefined) return setting;
  return writtenLike(setting, settings.proxy ? { ...settings, proxy: change(settings.proxy) } : settings);
}

/** Settings as they are used: parsed, so that no spelling of a key hides a secret. Undefined for text that is no JSON object. */
function settingsIn(setting: string): ChannelSettings | undefined {
  if (setting.trim() === '') return undefined;
  try {
    const settings: unknown = JSON.parse(setting);
    return typeof settings === 'object' && settings !== null && !Array.isArray(settings) ? (settings as ChannelSettings) : undefined;
  } catch {
    return undefined;
  }
}

function opened(proxy: string): string {
  if (!isSealed(proxy)) return proxy;
  try {
    return unseal(proxy, place);
  } catch {
    return '***'; // sealed under another master key: nobody can use it, and the channel can still be edited
  }
}

function masked(proxy: string): string {
  const at = proxy.lastIndexOf('@');
  if (at < 0) return proxy;
  const scheme = proxy.indexOf('://');
  return `${scheme < 0 || scheme > at ? '' : proxy.slice(0, scheme + 3)}***${proxy.slice(at)}`;
}
