/** Reads what lint looks at from a server. */
import type { Client } from '../../client/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { type ListFailure, offerOfClient } from '../offer.ts';
import { rawItems } from '../raw-list.ts';
import type { LintSubject } from './rule.ts';

export interface ReadSubject {
  readonly subject: LintSubject;
  readonly revision: string;
  readonly failed: readonly ListFailure[];
}

export async function lintSubject(client: Client, signal: AbortSignal): Promise<ReadSubject> {
  const { failed, revision, server, instructions, tools, prompts, templates } = await offerOfClient(client, signal);
  // The client's list has left out what is malformed or there twice.
  const raw =
    tools.length === 0 && client.server.capabilities.tools === undefined
      ? []
      : await rawItems(client, { method: 'tools/list', member: 'tools' }).catch(() => tools);
  return { subject: { server, instructions, tools: raw.filter(isTool), prompts, templates }, revision, failed };
}

/** The rules look at the rest themselves. */
const isTool = (item: unknown): item is Tool => isObject(item) && typeof item['name'] === 'string';
