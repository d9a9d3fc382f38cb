/** Opens the server as other commands do, and explains a failure. */
import type { Client, ConnectOptions } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import { printable } from '../../model/printable.ts';
import { type ApprovedTarget, openApproved } from '../target/connect-target.ts';
import {
  type Check,
  type DoctorFinding,
  doctorFault,
  FatalFinding,
  type FaultDetails,
  failedFinding,
  passedFinding,
} from './finding.ts';

/** Some clients time out after this time. */
const SLOW_MS = 5_000;
const QUOTED = 160;

/** Collects stderr, and stdout lines that are not protocol messages. */
export class StrayOutput {
  readonly strays: string[] = [];
  /** The argument that is a module with exports, as it was typed. */
  module: string | undefined;
  stderr = '';

  readonly hear = (from: string, text: string): void => {
    if (from === 'stderr') this.stderr = (this.stderr + text).slice(-8_192);
    if (from === 'stdout') this.strays.push(printable(text.replace(/^.*?\(\d+ so far\): /s, '').slice(0, QUOTED)));
  };
}

export interface OpenedServer {
  readonly client: Client;
  readonly findings: readonly DoctorFinding[];
}

/** `check` is `start` for a command; undefined for a URL, whose connection was checked before. */
export async function openCheck(
  approved: ApprovedTarget,
  output: StrayOutput,
  check: 'start' | undefined,
): Promise<OpenedServer> {
  const clock = approved.connect.clock;
  const begun = clock?.now() ?? 0;
  try {
    const client = await openApproved({ ...approved, connect: withStartTimeout(approved.connect) });
    const ms = (clock?.now() ?? 0) - begun;
    return { client, findings: [...(check === undefined ? [] : [startFinding(ms)]), revisionFinding(client)] };
  } catch (thrown) {
    throw openFault(thrown, output, check ?? 'revision');
  }
}

/** Waits longer by default: a first start can download packages (npx). An explicit --timeout applies. */
const withStartTimeout = (connect: ConnectOptions): ConnectOptions =>
  connect.connectTimeoutMs === undefined ? { ...connect, connectTimeoutMs: 30_000 } : connect;

function startFinding(ms: number): DoctorFinding {
  const seconds = (ms / 1000).toFixed(1);
  if (ms < SLOW_MS) return passedFinding('start', `ready in ${seconds} s`);
  return failedFinding('start', 'slow-start', `ready in ${seconds} s`);
}

const revisionFinding = ({ server: { revision, info } }: Client): DoctorFinding =>
  passedFinding(
    'revision',
    `${revision}${info === undefined ? '' : ` (${printable(`${info.name} ${info.version}`)})`}`,
  );

function openFault(thrown: unknown, output: StrayOutput, check: Check): unknown {
  if (thrown instanceof RpcError)
    return new FatalFinding(
      'revision',
      'refuses-to-open',
      `rejects the handshake (${thrown.code}): "${printable(thrown.message.slice(0, QUOTED))}"`,
    );
  if (!(thrown instanceof McpError)) return thrown;
  if (thrown.code === 'MCP_NO_COMMON_REVISION')
    return new FatalFinding('revision', 'no-common-revision', thrown.message);
  return new FatalFinding(check, codeFault(thrown, output));
}

function codeFault(error: McpError, output: StrayOutput): FaultDetails {
  const [stray] = output.strays;
  if (error.code === 'MCP_SERVER_EXITED') return exitFault(error, output);
  if (error.code === 'MCP_SPAWN_FAILED') return doctorFault('spawn-failed', error.message);
  if (error.code === 'MCP_TOO_LARGE') return doctorFault('too-large', error.message);
  if (error.code === 'MCP_SESSION_LOST')
    return doctorFault(
      'session-lost',
      error.message,
      'check whether several processes serve this URL; if so, use sticky sessions or a shared session store',
    );
  if (error.code === 'MCP_BAD_RESULT' || error.code === 'MCP_HTTP_UNEXPECTED')
    return doctorFault('bad-messages', error.message, 'update the server; this response is not valid MCP');
  if (error.code !== 'MCP_TIMEOUT')
    return doctorFault('refuses-to-open', error.message, 'read the log of the server, and of any proxy in front of it');
  if (stray !== undefined) return doctorFault('bad-messages', `prints text that is not a protocol message: "${stray}"`);
  return doctorFault('silent', `runs but does not respond${stderrLine(output.stderr)}`);
}

/** Error output of programs, with the fault and its fix. The first match wins. */
const exitPatterns: readonly (readonly [RegExp, FaultDetails['fault'], string])[] = [
  [
    /^error .+: (?:the module (?:failed while loading|exports)|expected a server|this Node cannot|Node only)/m,
    'bad-module',
    'correct the module, then check with `mooring run` that it loads',
  ],
  [
    /ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)|ModuleNotFoundError|No module named/,
    'missing-module',
    'install the missing package (`npm install`, `pip install`), or correct the path of the script',
  ],
  [
    /SyntaxError|ERR_UNKNOWN_FILE_EXTENSION|ERR_UNSUPPORTED|requires? (?:a )?(?:node|python)|Unsupported engine/i,
    'wrong-runtime',
    'check the version (`node --version`, `python --version`) that the application starts; if the server needs another one, use its full path',
  ],
  [
    /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b[^\n]*(?:required|missing|not set|undefined|must be|not found)|(?:required|missing|set)[^\n]*\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/,
    'missing-variable',
    'set the variable with --env NAME=value, or in "env" of the configuration; commands inherit only a few variables',
  ],
];

function exitFault(error: McpError, { stderr, strays, module }: StrayOutput): FaultDetails {
  const how = 'how' in error.details ? String(error.details['how']) : '';
  const found = `exits immediately (${how})${stderrLine(stderr) || ' without output'}`;
  for (const [pattern, fault, fix] of exitPatterns) if (pattern.test(stderr)) return { fault, found, fix };
  const [stray] = strays;
  if (stray !== undefined)
    return doctorFault(
      'bad-messages',
      `prints "${stray}" and exits (${how})`,
      'check the command and its arguments; this does not look like an MCP server',
    );
  if (how !== 'code 0' || stderr.trim() !== '')
    return { fault: 'exits', found, fix: 'run the command in a terminal, and read its output' };
  if (module === undefined) return doctorFault('exits', found);
  return doctorFault(
    'serves-nothing',
    `${found}: ${module} has exports but serves nothing`,
    `start it with \`mooring run ${module}\`, which serves what a module exports, or call serveStdio(server) in it`,
  );
}

/** The most telling line of stderr: the first that mentions an error, else the last. */
function stderrLine(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '');
  const line = lines.find((one) => /error|missing|cannot|required/i.test(one)) ?? lines.at(-1);
  return line === undefined ? '' : `: "${printable(line.trim().slice(0, QUOTED))}"`;
}
