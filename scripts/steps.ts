/**
 * Runs scripts of package.json two at a time, because most of them leave a core idle. A failure does not stop the others; the
 * output of failed steps is printed last.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export interface Step {
  /** A name in `scripts` of package.json. */
  readonly script: string;
  readonly options?: string;
  /** The step that must pass before this one starts. */
  readonly after?: string;
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }; // our own file
const PATH = [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter);
/** The compiler and the type linter are Go programs; with the default setting they spend a fifth of their time on garbage collection. */
const GOGC = '400';

/** Sets the exit code of the process. */
export async function runSteps(steps: readonly Step[]): Promise<void> {
  const failures = new Map<string, string>();
  const ended = new Set<string>();
  const running = new Set<Promise<void>>();
  let waiting = steps;

  /** Runs steps one after the other while any can start. */
  async function lane(): Promise<void> {
    while (waiting.length > 0) {
      const step = waiting.find(({ after }) => after === undefined || ended.has(after));
      if (step === undefined) {
        await Promise.race(running);
        continue;
      }
      waiting = waiting.filter((one) => one !== step);
      const run = runStep(step);
      running.add(run);
      await run;
      running.delete(run);
    }
  }

  async function runStep(step: Step): Promise<void> {
    const { script, after } = step;
    const started = performance.now();
    const fault =
      after !== undefined && failures.has(after) ? `not run, because ${after} failed` : await outputOf(step);
    if (fault !== undefined) failures.set(script, fault);
    ended.add(script);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${fault === undefined ? '✓' : '✗'} ${script.padEnd(12)} ${seconds.padStart(6)} s`);
  }

  await Promise.all([lane(), lane()]);
  for (const [script, output] of failures) console.error(`\n── ${script} failed ──\n${output.trimEnd()}`);
  if (failures.size === 0) return;
  console.error(`\nFailed: ${[...failures.keys()].join(', ')}. Run one alone with \`npm run <name>\`.`);
  process.exitCode = 1;
}

/** The output of a failed step. Runs the script without npm, which takes a third of a second to start. */
function outputOf({ script, options = '' }: Step): Promise<string | undefined> {
  return new Promise((done) => {
    const line = `${scripts[script]} ${options}`;
    const child = spawn(line, { shell: true, env: { GOGC, ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => output.push(piece));
    child.stderr.on('data', (piece: Buffer) => output.push(piece));
    child.on('error', (error) => done(error.message));
    child.on('close', (code) => done(code === 0 ? undefined : Buffer.concat(output).toString()));
  });
}
