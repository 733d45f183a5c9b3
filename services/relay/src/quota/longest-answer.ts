import type { AnyRequest } from '@tollgate/providers';
import type { Settings } from '../context/settings.ts';
import type { Candidates } from '../routing/candidates.ts';
import { kindsIn } from '../routing/channel-table.ts';

interface Question extends Candidates {
  request: AnyRequest;
  /** The caller's own limit. */
  asked: number | undefined;
}

/**
 * The longest answer, in tokens of one choice, that any of the channels may give: what the caller allows, else what the
 * provider is told when the caller says nothing, else the longest that the model can, under the name that the channel calls it by.
 */
export function longestAnswer(settings: Settings, { request, tiers, dialectOf, asked }: Question): number {
  const { model } = request;
  const usual = asked ?? settings.maxOutput(model) ?? settings.options.UnknownMaxOutputTokens;
  let longest = 0;
  for (const kind of kindsIn(tiers)) {
    const dialect = dialectOf(kind);
    if (dialect === undefined) continue;
    const mapped = kind.modelMapping.get(model);
    let here = usual;
    if (dialect.outputLimit !== undefined || mapped !== undefined) {
      const called = mapped ?? model;
      const own = dialect.outputLimit?.(request, { model: called, maxOutput: settings.maxOutput(called) });
      here = own ?? asked ?? (mapped === undefined ? undefined : settings.maxOutput(mapped)) ?? usual;
    }
    if (here > longest) longest = here;
  }
  return longest;
}
