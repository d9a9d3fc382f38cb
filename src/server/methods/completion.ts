/** `completion/complete`: suggestions for the argument of a prompt or the variable of a template. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import type { CompleteParams, CompletionReference } from '../../model/prompt.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { Completer } from '../part.ts';
import { guarded } from './guarded.ts';
import type { Serving } from './serving.ts';

/** What one answer may hold. */
const MAX_VALUES = 100;

export function complete(params: JsonObject, serving: Serving): Promise<JsonObject> {
  const { ref, argument, context } = params as unknown as CompleteParams; // the params' shape was checked
  const completers = completersOf(ref, serving.catalogue);
  serving.call.what = `completion of "${argument.name}"`;
  return guarded(serving, async () => {
    const found = (await completers.get(argument.name)?.(argument.value, context?.arguments ?? {})) ?? [];
    const values = found.slice(0, MAX_VALUES);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
}

function completersOf(ref: CompletionReference, catalogue: PartCatalogue): ReadonlyMap<string, Completer> {
  if (ref.type === 'ref/prompt') {
    const prompt = catalogue.prompts.get(ref.name);
    if (prompt === undefined) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${ref.name}`);
    return prompt.complete;
  }
  const exact = catalogue.templates.get(ref.uri) ?? catalogue.resources.get(ref.uri);
  const part = exact ?? [...catalogue.templates.values()].find((one) => one.template?.match(ref.uri) !== undefined);
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown resource: ${ref.uri}`, { uri: ref.uri });
  return part.complete;
}
