/** What a server offers, for the completion of a command line: from a private file, or asked within a short bound. */
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

/** Names, and the arguments that they take. */
export interface CompletionOffer {
  readonly tools: readonly NamedKeys[];
  readonly prompts: readonly NamedKeys[];
  readonly resources: readonly string[];
}
interface NamedKeys {
  readonly name: string;
  readonly keys: readonly string[];
}

/** A shell waits for this. */
const BOUND_MS = 3_000;
const FRESH_MS: number = 10 * 60_000;
/** After a failure the next attempt is not made at once. */
const RETRY_MS = 30_000;
const MAX_BYTES = 1_000_000;
const nothing: CompletionOffer = { tools: [], prompts: [], resources: [] };

/** A configured server that the user has not agreed to is not started: completion cannot ask, so consent is denied. */
export async function offerForCompletion(word: string, shell: Shell): Promise<CompletionOffer> {
  const target = await targetOf(word, { values: {}, shell });
  const folder = join(stateFolder(shell), 'completion');
  const path = join(folder, `${await keyOf(target, shell)}.json`);
  const known = await readCached(path, shell);
  if (known !== undefined) return known;
  const found = await asked(target, shell).catch(() => undefined);
  const record = { at: shell.clock.wall(), failed: found === undefined, offer: found ?? nothing };
  await makePrivateFolder(folder)
    .then(() => replaceFile(path, JSON.stringify(record), { mode: PRIVATE_FILE }))
    // Without a place for it, the next completion asks again.
    .catch(() => undefined);
  return found ?? nothing;
}

/** A module that was edited is another one. */
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
    if (age < 0 || age > (record['failed'] === true ? RETRY_MS : FRESH_MS)) return undefined;
    return record['offer'] as CompletionOffer; // as it was written below this user's own folder
  } catch {
    return undefined;
  }
}

async function asked(target: CommandTarget, shell: Shell): Promise<CompletionOffer> {
  const over = new AbortController();
  const stopTimer = shell.clock.after(BOUND_MS, () => over.abort());
  const signal = AbortSignal.any([shell.signal, over.signal]);
  try {
    return await untilAborted(namesAt(target, { ...shell, signal }), signal);
  } finally {
    stopTimer();
  }
}

async function namesAt(target: CommandTarget, shell: Shell): Promise<CompletionOffer> {
  // Completion shows nothing, and cannot ask the user.
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
