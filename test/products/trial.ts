/** Runs one product on one transport: with a new home, its own server and a scripted model. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Revisions, readEvidence, revisionsOf } from './evidence.ts';
import { type Finding, judge } from './judge.ts';
import { endLeftovers } from './leftovers.ts';
import { packageFolder } from './packages.ts';
import type { Product, Transport, Trial } from './product.ts';
import { type Ended, runProgram, tail } from './program.ts';
import { type AskedModel, scriptedProvider } from './provider/provider.ts';
import { serveLots } from './serve-lots.ts';

export interface TrialResult {
  readonly transport: Transport;
  /** Undefined if the server received no tool call. */
  readonly revisions: Revisions | undefined;
  readonly findings: readonly Finding[];
  /** Why the trial was aborted. */
  readonly error?: string;
  /** For diagnosis: the output, the requests to the model, and the server's log. */
  readonly story: string;
}

const LIMIT_MS = 180_000;

export async function tryProduct(product: Product, transport: Transport): Promise<TrialResult> {
  // Some products resolve symbolic links, and would not recognize the folder.
  const home = realpathSync(mkdtempSync(join(tmpdir(), `mooring-products-${product.name}-`)));
  const evidence = join(home, 'evidence.jsonl');
  const project = join(home, 'project');
  mkdirSync(project);
  const ended: Ended[] = [];
  try {
    await using provider = await scriptedProvider();
    await using lots = await serveLots({ transport, project, evidence });
    const packages = packageFolder(product.name);
    const trial: Trial = {
      transport,
      reach: lots.reach,
      home,
      project,
      packages,
      bin: (name) => join(packages, 'node_modules/.bin', name),
      model: provider.origin,
      async run(program, args, { env = {}, input = '' } = {}) {
        const all = { ...environment(home), ...env };
        const one = await runProgram(program, args, { cwd: project, env: all, input, limitMs: LIMIT_MS });
        ended.push(one);
        if (one.code !== 0) throw new Error(`${basename(program)} ended with exit code ${one.code}`);
        return one;
      },
    };
    const { output, error } = await drive(product, trial);
    const seen = readEvidence(evidence);
    return {
      transport,
      revisions: revisionsOf(seen),
      findings: judge(seen, output),
      ...(error === undefined ? {} : { error }),
      story: tellStory(ended, provider.asked, seen),
    };
  } finally {
    await endLeftovers(home);
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function drive(product: Product, trial: Trial): Promise<{ output: string; error?: string }> {
  try {
    return await product.drive(trial);
  } catch (thrown) {
    return { output: '', error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** An environment without the user's settings, keys and accounts. */
function environment(home: string): Record<string, string> {
  return {
    PATH: `${process.env['PATH']}`,
    HOME: home,
    TMPDIR: tmpdir(),
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
  };
}

function tellStory(ended: readonly Ended[], asked: readonly AskedModel[], seen: readonly object[]): string {
  const programs = ended.flatMap(({ code, stdout, stderr }) => [
    `exit code ${code}`,
    ...tail(stdout)
      .split('\n')
      .map((line) => `out ${line}`),
    ...tail(stderr)
      .split('\n')
      .map((line) => `err ${line}`),
  ]);
  const model = asked.map(({ path, conversation, reply }) =>
    JSON.stringify({ path, offered: conversation?.tools.length, last: conversation?.calls.at(-1), reply }),
  );
  const server = seen.map((line) => JSON.stringify(line));
  return [...programs, ...model.map((line) => `model ${line}`), ...server.map((line) => `server ${line}`)].join('\n');
}
