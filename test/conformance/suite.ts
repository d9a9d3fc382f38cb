/** Runs the official suite from its package, and parses its results. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
/** The suite needs a newer Node than the package. */
const node = newerNode();
const program = `${here}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const results = fileURLToPath(new URL('../../.cache/conformance/results/', import.meta.url));

export interface ScenarioResult {
  readonly scenario: string;
  /** Successful checks of the scenario itself, without those that every message matches the schema. */
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** The texts of failed checks and warnings. */
  readonly notes: readonly string[];
  /** Whether the requirement set scores it; undefined if nothing is scored. */
  readonly scored?: boolean;
}
interface Check {
  readonly id: string;
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}

/** Runs a whole set. Scenarios come from the summary, and details from files. */
export async function runSet(name: string, args: readonly string[]): Promise<readonly ScenarioResult[]> {
  const folder = `${results}${name}`;
  rmSync(folder, { recursive: true, force: true });
  const { stdout, stderr } = await suite([...args, '-o', folder]);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /checks\.json$/.test(file));
  const checks = new Map(files.map((file) => [scenarioOf(file), readChecks(`${folder}/${file}`)]));
  const summary = stdout.slice(stdout.lastIndexOf('SUMMARY ==='));
  const lines = [...summary.matchAll(/^[✓✗] (\S+): \d+ passed, (\d+) failed/gm)];
  if (lines.length === 0) throw new Error(`The suite did not run (${name}):\n${stdout}\n${stderr}`);
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, scenario]) => scenario));
  return lines.map(([, scenario = '', failed]): ScenarioResult => {
    const own = checks.get(scenario);
    const scored = args.includes('--requirements') ? { scored: !unscored.has(scenario) } : {};
    // A scenario that was aborted has no file.
    return own === undefined
      ? { scenario, passed: 0, failed: Number(failed), warnings: 0, notes: ['it broke off'], ...scored }
      : { ...count(scenario, own), ...scored };
  });
}

/** Runs one client scenario, even one outside of the revision's set. A bad exit code or a timeout is a failure. */
export async function runAlone(scenario: string, revision: string, command: string): Promise<ScenarioResult> {
  const args = [
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--force',
    '--verbose',
  ];
  const { exitCode, stdout, stderr } = await suite([...args, '--timeout', '60000']);
  const checks = stdout.trim().startsWith('[') ? (JSON.parse(stdout) as readonly Check[]) : []; // the suite wrote it
  const result = count(scenario, checks);
  if (exitCode === 0) return result;
  const why = /^\s*⚠️.*$/m.exec(stderr)?.[0].trim();
  const notes = why === undefined ? result.notes : [...result.notes, why];
  return { ...result, failed: Math.max(1, result.failed), notes };
}

function count(scenario: string, checks: readonly Check[]): ScenarioResult {
  const having = (status: string): readonly Check[] => checks.filter((check) => check.status === status);
  const told = [...having('FAILURE'), ...having('WARNING')];
  return {
    scenario,
    passed: having('SUCCESS').filter(({ id }) => id !== 'wire-schema-valid').length,
    failed: having('FAILURE').length,
    warnings: having('WARNING').length,
    notes: told.map(({ id, status, description, errorMessage }) => `${status} ${id}: ${errorMessage ?? description}`),
  };
}

/** `server-ping-2026-…Z/checks.json`, `auth/dpop-2026-…Z/checks.json`. */
const scenarioOf = (file: string): string =>
  file
    .replaceAll('\\', '/')
    .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/, '')
    .replace(/^server-(?=.)/, '');

const readChecks = (file: string): readonly Check[] => JSON.parse(readFileSync(file, 'utf8')) as readonly Check[]; // the suite wrote it

/** This Node if it is new enough, otherwise the one installed next to the suite. */
function newerNode(): string {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const installed = readdirSync(`${here}node_modules`)
    .filter((name) => /^node-.*(linux|darwin|win)-/.test(name))
    .flatMap((name) => [`${here}node_modules/${name}/bin/node`, `${here}node_modules/${name}/bin/node.exe`])
    .find((file) => existsSync(file));
  if (installed === undefined)
    throw new Error('The conformance suite needs Node 22 or later, and npm has none for this machine');
  return installed;
}

interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function suite(args: readonly string[]): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? 1, stdout, stderr }));
  });
}
