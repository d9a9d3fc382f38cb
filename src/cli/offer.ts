/** Lists the tools, resources, templates and prompts of a server. A failed list does not affect the others. */
import type { Client } from '../client/index.ts';
import { messageOf, RpcError } from '../errors.ts';
import type { ConnectedServer } from '../host/index.ts';
import type { Implementation } from '../model/caller.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import { printable } from '../model/printable.ts';
import {
  isMissingList,
  type ListItems,
  type ListKind,
  type ListName,
  listNames,
  lists,
  MAX_CURSOR_LENGTH,
  missingListFault,
} from '../revisions/decode-lists.ts';
import type { CommandContext } from './command.ts';
import { type ExitCode, exitCodeOf } from './exit-codes.ts';

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

/** Reports failed lists in `failed`. Throws only if `signal` is aborted. */
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

/** One list; empty if the server does not advertise it. A failure is added to `failed`. */
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

/** One list that the command requires. Adds the method to the server's error. */
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

/** The `failed` member of a JSON result; omitted if no list failed. */
export const failedData = (failed: readonly ListFailure[]): object =>
  failed.length === 0 ? {} : { failed: failed.map(failureData) };

/** The first failure that can hide items. A list that the server does not implement hides none. */
export const worstFailure = (failed: readonly ListFailure[]): ListFailure | undefined =>
  failed.find(({ error }) => !isMissingList(error));

/** Prints the failed lists to stderr. Returns the exit code of the failure that can hide items, if any. */
export function reportListFailures(
  failed: readonly ListFailure[],
  { print }: Pick<CommandContext, 'print'>,
): ExitCode | undefined {
  for (const one of failed) print.note(printable(failureText(one)));
  const worst = worstFailure(failed);
  return worst && exitCodeOf(worst.error);
}

/** The limits of our client, which rejects longer lists. */
const MAX_PAGES = 64;
const MAX_ITEMS = 10_000;

export class UnusableList extends Error {}

/**
 * Reads a list unfiltered: `client.list` drops malformed items and duplicates. `member` is the result member that holds the
 * items. Throws `UnusableList` for an invalid list, and the errors of the client.
 */
export async function rawItems(
  client: Client,
  { method, member }: Pick<ListKind<unknown>, 'method' | 'member'>,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  let all: readonly unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor }, { signal });
    const items = result[member];
    if (!Array.isArray(items)) throw new UnusableList(`"${member}" is not a list`);
    all = all.concat(items);
    if (all.length > MAX_ITEMS) throw new UnusableList(`more than ${MAX_ITEMS} items`);
    cursor = result['nextCursor'] ?? undefined;
    if (cursor === undefined) return all;
    if (typeof cursor === 'string' && cursor.length > MAX_CURSOR_LENGTH)
      throw new UnusableList(`"nextCursor" has more than ${MAX_CURSOR_LENGTH} characters`);
  }
  throw new UnusableList(`more than ${MAX_PAGES} pages`);
}
