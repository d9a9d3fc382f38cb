/** `completion/complete`: suggestions for the argument of a prompt or the variable of a template. */
import { badDefinition, RpcError } from '../../errors.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/message.ts';
import type { CompleteParams, CompletionReference } from '../../model/parts.ts';
import type { MethodHandler } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { Completer } from '../part.ts';
import { runHandler } from './run-handler.ts';

/** The maximum of values per response, by the specification. */
const MAX_VALUES = 100;

export const complete: MethodHandler = (params, details, call) => {
  const { ref, argument, context } = params as CompleteParams; // the params' shape was checked
  const { catalogue } = details;
  // For revisions that have no capability for completions; the others reject the request earlier.
  if (catalogue.capabilities().completions === undefined) {
    throw new RpcError(METHOD_NOT_FOUND, 'Method not found: completion/complete (this server has no completions)');
  }
  const { complete: completers, names } = completableAt(ref, catalogue);
  if (!names.includes(argument.name)) {
    throw new RpcError(INVALID_PARAMS, `Unknown argument: ${argument.name}`, { known: names });
  }
  call.what = `completion of "${argument.name}"`;
  return runHandler(details, call, async () => {
    const completer = completers.get(argument.name);
    const found = (await completer?.(argument.value, context?.arguments ?? {}, call.withoutQuestions())) ?? [];
    if (!Array.isArray(found)) throw badDefinition(call.what, 'it must return a list of texts');
    const values = found.slice(0, MAX_VALUES);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
};

interface Completable {
  readonly complete: ReadonlyMap<string, Completer<never>>;
  /** All arguments or variables, with or without a completer. */
  readonly names: readonly string[];
}

function completableAt(ref: CompletionReference, catalogue: PartCatalogue): Completable {
  if (ref.type === 'ref/prompt') {
    const prompt = catalogue.prompts.get(ref.name);
    if (prompt === undefined) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${ref.name}`);
    return { complete: prompt.complete, names: prompt.definition.arguments?.map(({ name }) => name) ?? [] };
  }
  const part = catalogue.templates.get(ref.uri) ?? catalogue.locate(ref.uri)?.part;
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown resource: ${ref.uri}`, { uri: ref.uri });
  return { complete: part.complete, names: part.template?.variables ?? [] };
}
