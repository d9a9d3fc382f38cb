/** Everything that a server offers. */
import type { Client } from '../client/index.ts';
import { RpcError } from '../errors.ts';
import { METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { Implementation } from '../model/caller.ts';
import type { Prompt } from '../model/prompt.ts';
import type { Resource, ResourceTemplate } from '../model/resource.ts';
import type { Tool } from '../model/tool.ts';

export interface Offer {
  readonly server: Implementation | undefined;
  readonly revision: string;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export async function offerOf(client: Client): Promise<Offer> {
  const { capabilities, info, revision, instructions } = client.server;
  const [tools, resources, templates, prompts] = await Promise.all([
    capabilities.tools === undefined ? [] : client.list('tools').all(),
    capabilities.resources === undefined ? [] : client.list('resources').all(),
    capabilities.resources === undefined ? [] : client.list('templates').all().catch(noneIfUnknown),
    capabilities.prompts === undefined ? [] : client.list('prompts').all(),
  ]);
  return { server: info, revision, instructions, tools, resources, templates, prompts };
}

/** Templates have no capability of their own, and servers without any may not know the word. */
function noneIfUnknown(error: unknown): readonly [] {
  if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return [];
  throw error;
}
