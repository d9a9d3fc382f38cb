/** Reads and validates the gateway's file: returns every mistake, and the configuration if there is none. */
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import { expandHome } from '../../files/expand-home.ts';
import { FileFault } from '../../files/file-fault.ts';
import { JsoncFault, type JsoncNode } from '../../files/jsonc.ts';
import { memberOf, plainValue } from '../../files/jsonc-tree.ts';
import { formatOf } from '../../host/config/format-of.ts';
import { configBytes } from '../../host/config/read-config.ts';
import { readLock } from '../../host/lock/lock-file.ts';
import { defined } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { checkChoices } from './check-choices.ts';
import { checkMeaning } from './check-meaning.ts';
import { checkTree } from './check-tree.ts';
import { type FileFinding, FileFindings } from './file-finding.ts';
import { FileTree } from './file-tree.ts';
import { type FindNamed, fillTree } from './fill-tree.ts';
import type { FileEntry, GatewayFile } from './gateway-file.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { importUpstreams } from './import-upstreams.ts';
import { findSecret, type RunSecretCommand, type SecretLookup } from './secrets.ts';

export interface GatewayFileContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Runs `secrets.command`. Only the command line starts programs. */
  readonly run: RunSecretCommand;
}

export interface GatewayFileReport {
  readonly file: string;
  /** Undefined if there is an error. */
  readonly config: GatewayFile | undefined;
  readonly findings: readonly FileFinding[];
}

/** Opens no connection and starts no upstream. Mistakes in the file become findings and never throw. */
export async function readGatewayFile(file: string, context: GatewayFileContext): Promise<GatewayFileReport> {
  const text = await configBytes(file).then(
    (bytes) => bytes?.toString('utf8'),
    (thrown: unknown) => (thrown instanceof FileFault ? thrown : new FileFault(file, String(thrown))),
  );
  const findings = new FileFindings(typeof text === 'string' ? text : '');
  if (typeof text !== 'string') {
    findings.error({ start: 0 }, [], text === undefined ? 'the file does not exist' : `it cannot be read: ${text.why}`);
    return { file, config: undefined, findings: findings.all() };
  }
  const root = await parse(file, text, findings);
  const config = root === undefined ? undefined : await check(root, findings, { file, ...context });
  return { file, config, findings: findings.all() };
}

async function parse(file: string, text: string, findings: FileFindings): Promise<JsoncNode | undefined> {
  try {
    return (await formatOf(file)).parse(text);
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    findings.error({ start: thrown.offset }, [], printable(thrown.message));
    return undefined;
  }
}

async function check(
  root: JsoncNode,
  findings: FileFindings,
  context: GatewayFileContext & { readonly file: string },
): Promise<GatewayFile | undefined> {
  const { env, home } = context;
  const folder = dirname(resolve(context.file));
  const find = finderIn(root, context, folder);
  const { tree: filledTree, filled } = await fillTree(root, findings, find);
  checkTree({ findings, filled }, filledTree, gatewaySchema);
  // References are also checked in a file with other errors, so that one run reports all mistakes.
  const tree = new FileTree(filledTree, findings);
  const paths = tree.textsAt('import').map((path) => pathBeside(folder, home, path));
  const imported = await importUpstreams(tree, paths, { find, env, home, folder });
  const labels = [...new Set([...tree.keysAt('upstreams'), ...Object.keys(imported)])];
  checkMeaning(tree, labels);
  checkChoices(tree, labels);
  if (findings.hasErrors) return undefined;
  // checkTree has validated it.
  const config = plainValue(filledTree) as GatewayFile;
  const whole = withPaths({ ...config, upstreams: { ...imported, ...config.upstreams } }, folder, home);
  await checkLock(whole, tree);
  return findings.hasErrors ? undefined : whole;
}

/** Every request would fail with an unreadable lock. */
async function checkLock({ lock }: GatewayFile, tree: FileTree): Promise<void> {
  if (typeof lock !== 'object') return;
  try {
    await readLock(lock.file, () => undefined);
  } catch (error) {
    tree.error(['lock'], printable(messageOf(error)));
  }
}

/** Reads `secrets` before placeholders are filled: it says where secrets are found, so it cannot contain any. */
function finderIn(root: JsoncNode, { env, home, run }: GatewayFileContext, folder: string): FindNamed {
  const written = memberOf(root, 'secrets');
  const places = (written === undefined ? {} : plainValue(written)) as FileEntry<'secrets'>; // each member is checked before use
  const place = typeof places?.folder === 'string' ? pathBeside(folder, home, places.folder) : undefined;
  const command = Array.isArray(places?.command) ? places.command.map(String) : undefined;
  return async (kind, name) => {
    if (kind === 'secret') return findSecret(name, defined<SecretLookup>({ env, run, folder: place, command }));
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set; set it`);
    return value;
  };
}

/** Resolves paths relative to the file, not to the working directory. */
function withPaths(config: GatewayFile, folder: string, home: string): GatewayFile {
  const { lock, audit } = config;
  const withPath = <T extends { readonly file: string }>(entry: T): T => ({
    ...entry,
    file: pathBeside(folder, home, entry.file),
  });
  return defined<GatewayFile>({
    ...config,
    lock: lock && withPath(typeof lock === 'string' ? { file: lock } : lock),
    audit: audit && withPath(audit),
  });
}

const pathBeside = (folder: string, home: string, path: string): string => resolve(folder, expandHome(path, home));
