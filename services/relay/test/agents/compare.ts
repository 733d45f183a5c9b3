import type { AgentRequest, Event } from './scripted-formats.ts';

/** Numbers, ids and white space differ from run to run. */
function masked(text: string): string {
  return text
    .replace(/x-anthropic-billing-header:[^\n]*?cc_entrypoint=[^;]*;(?: cch=[^;]*;)?/g, '') // left out for other providers: it would defeat their caches
    .replace(/Chunk ID: [0-9a-f]+/g, 'Chunk ID: #')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{5,}\b/gi, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, '');
}

function textsOf(events: readonly Event[], ...kinds: Event['who'][]): string[] {
  return events
    .flatMap((event) => ('text' in event && kinds.includes(event.who) ? [masked(event.text)] : []))
    .filter((text) => text !== '');
}

function callsOf(events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.who === 'call' ? [`${event.name} ${masked(JSON.stringify(event.args))}`] : []));
}

/**
 * In what a session's calls differ from those of a directly connected one, as sentences; none where the model was told the same. Instructions and the user's words may
 * stand in another order, since formats differ in where instructions belong.
 */
export function differences(direct: readonly AgentRequest[], relayed: readonly AgentRequest[]): string[] {
  const found: string[] = [];
  if (direct.length !== relayed.length) found.push(`${direct.length} calls directly, ${relayed.length} through the gateway`);
  for (const [at, one] of direct.entries()) {
    const other = relayed[at];
    if (other === undefined) break;
    const note = (what: string, left: readonly string[], right: readonly string[]) => {
      if (JSON.stringify(left) !== JSON.stringify(right)) found.push(`call ${at + 1}: ${what}: ${excerpt(left, right)}`);
    };
    note('model', textsOf(one.events, 'model'), textsOf(other.events, 'model'));
    note('calls', callsOf(one.events), callsOf(other.events));
    note('results', textsOf(one.events, 'result'), textsOf(other.events, 'result'));
    const own = ({ tools }: AgentRequest) => tools.filter((name) => name !== 'web_search').sort(); // runs at the provider, in its own form or not at all
    note('tools', own(one), own(other));
    const whole = textsOf(other.events, 'system', 'user').join('');
    for (const text of textsOf(one.events, 'system', 'user'))
      if (!whole.includes(text)) found.push(`call ${at + 1}: lost: ${firstDifference(text, whole)}`);
  }
  return found;
}

function excerpt(left: readonly string[], right: readonly string[]): string {
  const at = left.findIndex((text, index) => text !== right[index]);
  const index = at < 0 ? left.length : at;
  return `${left.length} / ${right.length}; ${String(left[index]).slice(0, 300)} / ${String(right[index]).slice(0, 300)}`;
}

function firstDifference(text: string, whole: string): string {
  let [least, most] = [0, text.length];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (whole.includes(text.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return text.slice(Math.max(0, least - 60), least + 120);
}
