/** A model that replies from a script, for tests. */
import { badDefinition, McpError } from '../../errors.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Model, ModelBlock, ModelOptions, ModelReply, ModelRequest } from './model.ts';

/** A reply in a script: text, blocks, or a whole reply. */
export type ScriptedReply = string | readonly ModelBlock[] | ModelReply;
/** A line of a script: a reply, or a function that returns one. */
export type ScriptLine =
  | ScriptedReply
  | ((request: ModelRequest, options: ModelOptions) => ScriptedReply | Promise<ScriptedReply>);

/** A model that replies from a script. */
export interface ScriptedModel extends Model {
  /** All requests so far, in order. */
  readonly requests: readonly ModelRequest[];
}

/** Creates a model that answers each request with the next line of a script. */
export function scriptedModel(
  script: readonly ScriptLine[],
  models: Model['models'] = [{ name: 'scripted' }],
): ScriptedModel {
  if (!Array.isArray(script))
    throw badDefinition(
      'scriptedModel(script)',
      `the script must be a list, such as ['Hello'], not ${valueKind(script)}`,
    );
  const requests: ModelRequest[] = [];
  return {
    models,
    requests,
    async reply(request: ModelRequest, options: ModelOptions = {}): Promise<ModelReply> {
      const line = script[requests.push(request) - 1];
      if (line === undefined)
        throw new McpError('MCP_MODEL_FAILED', {
          url: 'scriptedModel()',
          why: `the script has ${script.length} turns, and this is request ${requests.length}. Add a turn`,
        });
      const reply = replyOf(typeof line === 'function' ? await line(request, options) : line, request);
      if (options.signal?.aborted === true)
        throw new McpError('MCP_CANCELLED', { method: 'A model', why: 'the caller cancelled it' });
      for (const block of reply.content) if (block.type === 'text') options.onText?.(block.text);
      return reply;
    },
  };
}

function replyOf(said: ScriptedReply, { model }: ModelRequest): ModelReply {
  if (typeof said === 'object' && 'stopReason' in said) return said;
  const content: readonly ModelBlock[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said;
  const uses = content.some(({ type }) => type === 'tool_use');
  return { model, content, stopReason: uses ? 'toolUse' : 'endTurn', usage: { inputTokens: 0, outputTokens: 0 } };
}
