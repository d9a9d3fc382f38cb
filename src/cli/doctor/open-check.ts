/** Opens the server as every other command does, and says what stands in the way. */
import type { Client, ConnectOptions } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import { printable } from '../../model/printable.ts';
import { type ApprovedTarget, openApproved } from '../target/connect-target.ts';
import {
  type Check,
  type DoctorFinding,
  FatalFinding,
  type FaultDetails,
  failedFinding,
  passedFinding,
} from './finding.ts';

/** Longer than this, and clients with less patience than ours give up. */
const SLOW_MS = 5_000;
const QUOTED = 160;

/** What a command wrote beside the protocol. */
export class StrayOutput {
  readonly strays: string[] = [];
  /** A module among the words of the command that exports something, as it was typed. */
  module: string | undefined;
  stderr = '';

  readonly hear = (from: string, text: string): void => {
    if (from === 'stderr') this.stderr = (this.stderr + text).slice(-8_192);
    else this.strays.push(printable(text.replace(/^.*?\(\d+ so far\): /s, '').slice(0, QUOTED)));
  };
}

export interface OpenedServer {
  readonly client: Client;
  readonly findings: readonly DoctorFinding[];
}

/** `check`: what it is called that a server is opened: a command is started, an address was reached before. */
export async function openCheck(
  reached: ApprovedTarget,
  overheard: StrayOutput,
  check: 'start' | undefined,
): Promise<OpenedServer> {
  const clock = reached.connect.clock;
  const begun = clock?.now() ?? 0;
  try {
    const client = await openApproved({ ...reached, connect: patient(reached.connect) });
    const ms = (clock?.now() ?? 0) - begun;
    return { client, findings: [...(check === undefined ? [] : [startFinding(ms)]), revisionFinding(client)] };
  } catch (thrown) {
    throw openFault(thrown, overheard, check ?? 'revision');
  }
}

/** A first start may have to fetch what it runs. Who named a time means it. */
const patient = (connect: ConnectOptions): ConnectOptions =>
  connect.connectTimeoutMs === undefined ? { ...connect, connectTimeoutMs: 30_000 } : connect;

function startFinding(ms: number): DoctorFinding {
  const seconds = (ms / 1000).toFixed(1);
  if (ms < SLOW_MS) return passedFinding('start', `it answers after ${seconds} s`);
  return failedFinding('start', {
    fault: 'slow-start',
    found: `it answers only after ${seconds} s`,
    fix: 'install what it runs instead of fetching it each time (npx), do less before it serves, or raise the time limit of the client',
  });
}

const revisionFinding = ({ server: { revision, info } }: Client): DoctorFinding =>
  passedFinding('revision', `${revision}${info === undefined ? '' : `, ${printable(`${info.name} ${info.version}`)}`}`);

function openFault(thrown: unknown, overheard: StrayOutput, check: Check): unknown {
  if (thrown instanceof RpcError)
    return new FatalFinding('revision', {
      fault: 'refuses-to-open',
      found: `it refuses to open with error ${thrown.code}: ${printable(thrown.message.slice(0, QUOTED))}`,
      fix: 'look at its log; it must answer "initialize", or "server/discover" in the newest revision',
    });
  if (!(thrown instanceof McpError)) return thrown;
  if (thrown.code === 'MCP_NO_COMMON_REVISION')
    return new FatalFinding('revision', {
      fault: 'no-common-revision',
      found: thrown.message,
      fix: 'update the older of the two; or leave out --revision, if you gave one',
    });
  return new FatalFinding(check, codeFault(thrown, overheard));
}

function codeFault(error: McpError, overheard: StrayOutput): FaultDetails {
  const [stray] = overheard.strays;
  if (error.code === 'MCP_SERVER_EXITED') return exitFault(error, overheard);
  if (error.code === 'MCP_SPAWN_FAILED')
    return { fault: 'spawn-failed', found: error.message, fix: 'try the command in a terminal' };
  if (error.code === 'MCP_TOO_LARGE')
    return { fault: 'too-large', found: error.message, fix: 'have the server send less at once: lists come in pages' };
  if (error.code === 'MCP_SESSION_LOST')
    return { fault: 'session-lost', found: error.message, fix: 'see whether several processes answer this address' };
  if (error.code === 'MCP_BAD_RESULT' || error.code === 'MCP_HTTP_UNEXPECTED')
    return { fault: 'bad-messages', found: error.message, fix: 'it does not speak as the protocol says: update it' };
  if (error.code !== 'MCP_TIMEOUT')
    return {
      fault: 'refuses-to-open',
      found: error.message,
      fix: 'look at the log of the server, and of what is in front of it',
    };
  if (stray !== undefined)
    return {
      fault: 'bad-messages',
      found: `it answers with something that is no message: ${stray}`,
      fix: 'standard output is for messages alone, one line of JSON each: have it print everything else to standard error',
    };
  return {
    fault: 'silent',
    found: `it runs, and says nothing${ending(overheard.stderr)}`,
    fix: 'check that the command starts an MCP server on standard input and output (some need an argument such as `stdio`)',
  };
}

/** What programs say when they cannot go on, and what to do about it; the first that fits. */
const lastWords: readonly (readonly [RegExp, FaultDetails['fault'], string])[] = [
  [
    /^error .+: (?:it (?:failed while loading|exports)|this Node cannot|Node only)/m,
    'bad-module',
    'correct the module, and see with `mooring run` whether it loads',
  ],
  [
    /ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)|ModuleNotFoundError|No module named/,
    'missing-module',
    'install what it needs (`npm install`, `pip install`), or correct the path of the script',
  ],
  [
    /SyntaxError|ERR_UNKNOWN_FILE_EXTENSION|ERR_UNSUPPORTED|requires? (?:a )?(?:node|python)|Unsupported engine/i,
    'wrong-runtime',
    'it may be written for another version of Node or Python: check `node --version` where the client starts it, and name the right one by its full path',
  ],
  [
    /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b[^\n]*(?:required|missing|not set|undefined|must be|not found)|(?:required|missing|set)[^\n]*\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/,
    'missing-variable',
    'give it the variable: --env NAME=value, or "env" in the configuration; commands inherit only a few',
  ],
];

function exitFault(error: McpError, { stderr, strays, module }: StrayOutput): FaultDetails {
  const how = 'how' in error.details ? String(error.details['how']) : '';
  const found = `it ends at once (${how})${ending(stderr)}`;
  for (const [pattern, fault, fix] of lastWords) if (pattern.test(stderr)) return { fault, found, fix };
  const [stray] = strays;
  if (stray !== undefined)
    return {
      fault: 'bad-messages',
      found: `it prints "${stray}" and ends (${how})`,
      fix: 'it does not seem to be an MCP server: check the command and its arguments',
    };
  if (how !== 'code 0' || stderr.trim() !== '')
    return { fault: 'exits', found, fix: 'try the command in a terminal, and read what it says there' };
  if (module === undefined)
    return {
      fault: 'exits',
      found,
      fix: 'a server goes on until its standard input ends: check the command and its arguments',
    };
  return {
    fault: 'serves-nothing',
    found: `${found}: ${module} exports something, and serves nothing`,
    fix: `start it with \`mooring run ${module}\`, which serves what a module exports, or have it call serveStdio(server)`,
  };
}

/** The line that says most: the first that speaks of an error, else the last one. */
function ending(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  const line = lines.find((one) => /error|missing|cannot|required/i.test(one)) ?? lines.at(-1);
  return line === undefined ? '' : `: ${printable(line.trim().slice(0, QUOTED))}`;
}
