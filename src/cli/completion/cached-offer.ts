/** Tool, prompt and resource names for shell completion: from a private cache file, or from the server within 3 seconds. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { makePrivateFolder, PRIVATE_FILE } from '../../files/private-file.ts';
import { readFileText } from '../../files/read-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { untilAborted } from '../../peer/wait.ts';
import { openHost } from '../host/open-host.ts';
import { offerOfClient } from '../offer.ts';
import { stateFolder } from '../paths.ts';
import { Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';
import { type CommandTarget, targetOf } from '../target/target.ts';
import { SchemaView } from '../tool-arguments/schema-view.ts';

/** Names, and the argument names of tools and prompts. */
export interface CompletionOffer {
  readonly tools: readonly NamedKeys[];
  readonly prompts: readonly NamedKeys[];
  readonly resources: readonly string[];
}
interface NamedKeys {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The user's shell waits for completion. */
const TIMEOUT_MS = 3_000;
const FRESH_MS: number = 10 * 60_000;
/** A failure is cached too, so that each Tab does not wait for the timeout. */
const FAILURE_FRESH_MS = 30_000;
const MAX_BYTES = 1_000_000;
const emptyOffer: CompletionOffer = { tools: [], prompts: [], resources: [] };

/** Does not start a configured server without a stored approval, because completion cannot ask. */
export async function offerForCompletion(word: string, shell: Shell): Promise<CompletionOffer> {
  const target = await targetOf(word, { values: {}, shell });
  const folder = join(stateFolder(shell), 'completion');
  const path = join(folder, `${await keyOf(target, shell)}.json`);
  const cached = await readCached(path, shell);
  if (cached !== undefined) return cached;
  const found = await askServer(target, shell).catch(() => undefined);
  const record = { at: shell.clock.wall(), failed: found === undefined, offer: found ?? emptyOffer };
  await makePrivateFolder(folder)
    .then(() => replaceFile(path, JSON.stringify(record), { mode: PRIVATE_FILE }))
    // If the cache cannot be written, the next completion asks the server again.
    .catch(() => undefined);
  return found ?? emptyOffer;
}

/** The cache key of a module includes its modification time. */
async function keyOf({ label, module }: CommandTarget, shell: Shell): Promise<string> {
  const edited = module === undefined ? 0 : (await stat(module)).mtimeMs;
  return createHash('sha256')
    .update(JSON.stringify([shell.cwd, label, module, edited]))
    .digest('hex');
}

async function readCached(path: string, { clock }: Shell): Promise<CompletionOffer | undefined> {
  try {
    const record: unknown = JSON.parse((await readFileText(path, { maxBytes: MAX_BYTES })) ?? 'null');
    if (!isObject(record) || typeof record['at'] !== 'number') return undefined;
    const age = clock.wall() - record['at'];
    if (age < 0 || age > (record['failed'] === true ? FAILURE_FRESH_MS : FRESH_MS)) return undefined;
    return record['offer'] as CompletionOffer; // this command wrote it, into a private folder
  } catch {
    return undefined;
  }
}

async function askServer(target: CommandTarget, shell: Shell): Promise<CompletionOffer> {
  const timeout = new AbortController();
  const stopTimer = shell.clock.after(TIMEOUT_MS, () => timeout.abort());
  const signal = AbortSignal.any([shell.signal, timeout.signal]);
  try {
    return await untilAborted(readOffer(target, { ...shell, signal }), signal);
  } finally {
    stopTimer();
  }
}

async function readOffer(target: CommandTarget, shell: Shell): Promise<CompletionOffer> {
  // Completion must not print, and cannot ask the user.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const quiet: Shell = { ...shell, stdin: Readable.from([]), stdout: silent, stderr: silent };
  const print = new Printer(quiet, { json: false });
  await using opened = await openHost(target, { values: {}, shell: quiet, print });
  const { tools, prompts, resources, templates } = await offerOfClient(opened.client, shell.signal);
  return {
    tools: tools.map(({ name, inputSchema }) => ({ name, keys: new SchemaView(inputSchema).keys })),
    prompts: prompts.map(({ name, arguments: args = [] }) => ({ name, keys: args.map((one) => one.name) })),
    resources: [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)],
  };
}
