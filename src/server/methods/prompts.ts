/** `prompts/get`: checks the arguments, and renders the prompt. */
import { badDefinition, RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { encodePromptResult } from '../../revisions/encode.ts';
import { describe, firstIssues } from '../../schema/index.ts';
import type { MethodHandler } from '../call.ts';
import { runHandler } from './run-handler.ts';

export const getPrompt: MethodHandler = (params, details, call) => {
  const { catalogue, revision } = details;
  const name = params['name'] as string; // the params' shape was checked
  const part = catalogue.prompts.get(name);
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${name}`);
  call.what = `prompt "${name}"`;
  return runHandler(details, call, async () => {
    const checked = await (part.args?.check(params['arguments'] ?? {}) ?? { ok: true, value: {} });
    if (!checked.ok) {
      const why = `Invalid arguments for prompt "${name}": ${describe(checked.issues)}`;
      throw new RpcError(INVALID_PARAMS, why, { issues: firstIssues(checked.issues) });
    }
    const returned = await part.render(checked.value, call);
    const rendered = toPromptResult(returned, part.definition.description);
    // Text became one message, which is valid.
    const fault = typeof returned === 'string' ? undefined : await messagesFault(rendered['messages']);
    if (fault !== undefined) throw badDefinition(call.what, fault);
    return encodePromptResult(revision.vocabulary, rendered);
  });
};

function toPromptResult(rendered: unknown, description: string | undefined): JsonObject {
  if (isObject(rendered)) return rendered;
  const messages =
    typeof rendered === 'string' ? [{ role: 'user', content: { type: 'text', text: rendered } }] : rendered;
  return description === undefined ? { messages } : { description, messages };
}

/** Why rendered messages are invalid. Checked before they are sent, because a handler can build them from any data. */
async function messagesFault(messages: unknown): Promise<string | undefined> {
  if (!Array.isArray(messages)) return 'it must render text or a list of messages';
  const { blockFault } = await import('../../model/block-fault.ts');
  for (const [at, message] of messages.entries()) {
    const { role, content } = isObject(message) ? message : {};
    const spoken = role === 'user' || role === 'assistant';
    const fault = spoken ? blockFault(content) : 'its role is "user" or "assistant"';
    if (fault !== undefined) return `message ${at}: ${fault}`;
  }
  return undefined;
}
