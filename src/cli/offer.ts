/** Everything that a server offers. A list that fails takes nothing away from the others. */
import type { Client } from '../client/index.ts';
import { messageOf, RpcError } from '../errors.ts';
import type { ConnectedServer } from '../host/index.ts';
import type { Implementation } from '../model/caller.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import { printable } from '../model/printable.ts';
import {
  isMissingList,
  type ListItems,
  type ListName,
  listNames,
  lists,
  MAX_CURSOR_LENGTH,
  missingListFault,
} from '../revisions/decode-lists.ts';
import type { CommandContext } from './command.ts';
import { type ExitCode, exitCodeOf } from './exit-codes.ts';

/** A list that could not be had. */
export interface ListFailure {
  readonly method: string;
  readonly error: unknown;
}

export interface ServerOffer {
  readonly server: Implementation | undefined;
  readonly revision: string;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  readonly failed: readonly ListFailure[];
}

/** Throws when `signal` is aborted, and for nothing else. */
export async function offerOfClient(client: ConnectedServer, signal: AbortSignal): Promise<ServerOffer> {
  const { info, revision, instructions } = client.server;
  const failed: ListFailure[] = [];
  const by = { failed, signal };
  const [tools, resources, templates, prompts] = await Promise.all([
    listOrFail(client, 'tools', by),
    listOrFail(client, 'resources', by),
    listOrFail(client, 'templates', by),
    listOrFail(client, 'prompts', by),
  ]);
  const order = listNames.map((name) => lists[name].method);
  failed.sort((one, other) => order.indexOf(one.method) - order.indexOf(other.method));
  return { server: info, revision, instructions, tools, resources, templates, prompts, failed };
}

/** One list, empty where the server does not offer it; a failure is added to `failed`. */
export async function listOrFail<K extends ListName>(
  client: ConnectedServer,
  kind: K,
  { failed, signal }: { readonly failed: ListFailure[]; readonly signal: AbortSignal },
): Promise<readonly ListItems[K][]> {
  if (client.server.capabilities[lists[kind].capability] === undefined) return [];
  try {
    return await client.list(kind, { signal }).all();
  } catch (error) {
    signal.throwIfAborted();
    const { method } = lists[kind];
    if (!isMissingList(error) || missingListFault(method) !== undefined) failed.push({ method, error });
    return [];
  }
}

/** One list that the command cannot do without: an error names its method. */
export async function listOrThrow<K extends ListName>(
  client: ConnectedServer,
  kind: K,
  signal: AbortSignal,
): Promise<readonly ListItems[K][]> {
  try {
    return await client.list(kind, { signal }).all();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const text = failureText({ method: lists[kind].method, error });
    throw new RpcError(error.code, text, error.data);
  }
}

export function failureText({ method, error }: ListFailure): string {
  const fault = isMissingList(error) ? missingListFault(method) : undefined;
  return fault ?? `${method} failed: ${messageOf(error)}`;
}

const failureData = ({ method, error }: ListFailure): object => ({
  method,
  ...(error instanceof Error && 'code' in error ? { code: error.code } : {}),
  message: messageOf(error),
});

/** For a document that says nothing of failures where there are none. */
export const failedData = (failed: readonly ListFailure[]): object =>
  failed.length === 0 ? {} : { failed: failed.map(failureData) };

/** The first that hides something. A list that is not implemented holds nothing that could be missing. */
export const worstOf = (failed: readonly ListFailure[]): ListFailure | undefined =>
  failed.find(({ error }) => !isMissingList(error));

/** Notes what failed, and says how the command ends over it. */
export function tellFailures(
  failed: readonly ListFailure[],
  { print }: Pick<CommandContext, 'print'>,
): ExitCode | undefined {
  for (const one of failed) print.note(printable(failureText(one)));
  const worst = worstOf(failed);
  return worst && exitCodeOf(worst.error);
}

const MAX_PAGES = 64;

export class UnusableList extends Error {}

/** A list as the server sends it: the client leaves out what is malformed or there twice. Throws `UnusableList` for what is no list, and what the client throws. `member` of the results holds the items. */
export async function rawItems(client: Client, method: string, member: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor });
    const items = result[member];
    if (!Array.isArray(items)) throw new UnusableList(`"${member}" is not a list`);
    all.push(...items);
    cursor = result['nextCursor'] ?? undefined;
    if (cursor === undefined) return all;
    if (typeof cursor === 'string' && cursor.length > MAX_CURSOR_LENGTH)
      throw new UnusableList(`"nextCursor" has more than ${MAX_CURSOR_LENGTH} characters`);
  }
  throw new UnusableList(`more than ${MAX_PAGES} pages`);
}
