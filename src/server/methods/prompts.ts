/** `prompts/get`: the arguments are checked, the prompt is rendered. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { encodePromptResult } from '../../revisions/encode.ts';
import { describe } from '../../schema/index.ts';
import { guarded } from './guarded.ts';
import type { Serving } from './serving.ts';

export function getPrompt(params: JsonObject, serving: Serving): Promise<JsonObject> {
  const { catalogue, revision, call } = serving;
  const name = params['name'] as string; // the params' shape was checked
  const part = catalogue.prompts.get(name);
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${name}`);
  call.what = `prompt "${name}"`;
  return guarded(serving, async () => {
    const checked = await (part.args?.check(params['arguments'] ?? {}) ?? { ok: true, value: {} });
    if (!checked.ok) {
      const why = `Invalid arguments for prompt "${name}": ${describe(checked.issues)}`;
      throw new RpcError(INVALID_PARAMS, why, { issues: checked.issues });
    }
    const rendered = resultOf(await part.render(checked.value, call), part.definition.description);
    return encodePromptResult(revision.words, rendered);
  });
}

function resultOf(rendered: unknown, description: string | undefined): JsonObject {
  if (isObject(rendered)) return rendered;
  const messages = Array.isArray(rendered)
    ? rendered
    : [{ role: 'user', content: { type: 'text', text: String(rendered) } }];
  return description === undefined ? { messages } : { description, messages };
}
