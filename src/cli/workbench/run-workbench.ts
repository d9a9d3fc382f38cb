/** Runs the workbench until Ctrl-C: prints its URL, and asks in the terminal before the page starts a command. */
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { errorCodeOf } from '../../files/file-fault.ts';
import { type Act, type NdjsonAudit, type Rule, rules, type ServerSource, verifyAudit } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { waitForAbort } from '../../peer/wait.ts';
import { replayRecording } from '../../testing/replay.ts';
import { type OpenedWorkbench, openWorkbench } from '../../workbench/open-workbench.ts';
import type { DoctorRow } from '../../workbench/protocol-rows.ts';
import type { TypedCommand, WorkbenchOptions } from '../../workbench/workbench-core.ts';
import { listenFault } from '../arguments.ts';
import { confirmOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { Examination } from '../doctor/examination.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { auditKey } from '../host/gate-settings.ts';
import { commandUser } from '../host/host-settings.ts';
import { TypedCalls } from '../host/typed-acts.ts';
import { lintFindings } from '../lint/rules.ts';
import { canAsk, type Shell } from '../shell.ts';
import { openBrowser } from '../sign-in/open-browser.ts';
import { commandCredentials } from '../target/sign-in.ts';

/** With --exit, ends the session if no page was open for this time. */
const GONE_MS: number = 10 * 60_000;

export interface RunWorkbenchOptions extends Pick<WorkbenchOptions, 'servers' | 'host' | 'policyName' | 'model'> {
  /** Rules of the user and of the command. */
  readonly policy: readonly Rule[];
  readonly audit?: (NdjsonAudit & { readonly path: string }) | undefined;
  readonly connect: readonly string[];
  /** Receives the labels of commands that the user allowed in the terminal. */
  readonly confirmed: Set<string>;
  readonly port: number;
  readonly address: string;
  readonly opensBrowser: boolean;
  readonly exits: boolean;
  readonly record?: string | undefined;
  readonly open?: string | undefined;
}

export async function runWorkbench(options: RunWorkbenchOptions, by: CommandContext): Promise<ExitCode> {
  const { shell, print } = by;
  const typed = new TypedCalls();
  const gone = new AbortController();
  const opened = await openWorkbench({
    ...options,
    folder: pageFolder(),
    cwd: shell.cwd,
    credentials: commandCredentials(by).store,
    policy: [...options.policy, ...typed.rules(options.host.lockfile !== undefined)],
    audit: options.audit === undefined ? undefined : verifiable(options.audit, shell),
    principal: commandUser(shell),
    clock: shell.clock,
    runTyped: (tool, run) => typed.run(tool, run),
    note: (text) => print.note(print.style('yellow', printable(text), 'stderr')),
    confirmCommand: (command) => confirmCommand(command, options.confirmed, by),
    confirmReveal: (what) => confirm(by, `A page wants to see a masked value:\n  ${printable(what)}`, 'Show it?'),
    examine: (label, source) => examineForPage(label, source, by),
    lint: (subject) => lintFindings(subject, []),
    replay: replayRecording,
    ...(options.exits ? { onPages: exitWhenGone(shell, gone) } : {}),
  }).catch((error: unknown) => {
    throw errorCodeOf(error) === 'EADDRNOTAVAIL'
      ? listenFault(error, `--dangerously-listen ${options.address}`, 'give another address')
      : listenFault(error, `--port ${options.port}`, 'give another port, or leave it out for a free one');
  });
  try {
    await announce(opened, options, by);
    await waitForAbort(AbortSignal.any([shell.signal, gone.signal]));
    return shell.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } finally {
    // Reading the terminal keeps the process running.
    shell.stdin.pause();
    await opened.close('the workbench was stopped in its terminal');
  }
}

/** The built page: next to this file in the package, and in `dist` in a clone. */
function pageFolder(): URL {
  const beside = new URL('../workbench/', import.meta.url);
  return existsSync(new URL('index.html', beside)) ? beside : new URL('../../../dist/workbench/', import.meta.url);
}

async function announce(
  opened: OpenedWorkbench,
  options: RunWorkbenchOptions,
  { shell, print }: CommandContext,
): Promise<void> {
  const url = opened.invite();
  print.data({ url });
  print.line(`Workbench: ${url}`);
  if (print.json) return;
  const isOpen = options.opensBrowser && (await openBrowser(new URL(url), shell));
  if (!isOpen) print.note('Open this URL in your browser. It works once, within two minutes.');
  if (!canAsk(shell)) return;
  print.note('Press Enter for another URL, Ctrl-C to stop.');
  shell.stdin.on('data', (chunk: unknown) => {
    if (/^\r?\n$/.test(String(chunk))) print.line(`Workbench: ${opened.invite()}`);
  });
}

async function confirmCommand(
  { label, commandLine, cwd, variables }: TypedCommand,
  confirmed: Set<string>,
  by: CommandContext,
): Promise<boolean> {
  const folder = cwd === undefined ? '' : `\n  in the folder ${printable(cwd)}`;
  const names = variables.length === 0 ? '' : `\n  with the variables ${variables.map(printable).join(', ')}`;
  const what = `A page wants to start a program for ${printable(label)}:\n  ${printable(commandLine)}${folder}${names}`;
  const isAllowed = await confirm(by, what, 'Start it?');
  if (isAllowed) confirmed.add(label);
  return isAllowed;
}

async function confirm({ shell, print }: CommandContext, what: string, question: string): Promise<boolean> {
  if (!canAsk(shell)) {
    print.note(`${what}\nDeclined: not running in a terminal.`);
    return false;
  }
  // One prompt with text and question, because two concurrent questions must not mix.
  const isAllowed = await confirmOnTerminal(shell, `${what}\n${question}`).catch(() => false);
  shell.stdin.resume();
  return isAllowed;
}

/** Allows commands that the user confirmed in the terminal, without asking again in the page. */
export function typedCommands(confirmed: ReadonlySet<string>): Rule {
  const youAgreedInTheTerminal = ({ server }: Act): boolean => confirmed.has(server);
  return rules.allow({ kind: 'spawn', where: youAgreedInTheTerminal });
}

function verifiable(
  audit: NdjsonAudit & { readonly path: string },
  shell: Shell,
): NonNullable<WorkbenchOptions['audit']> {
  return Object.assign(audit, {
    async verify() {
      const verdict = await verifyAudit(audit.path, { key: auditKey(shell), checkpoint: await audit.checkpoint() });
      return verdict.ok
        ? { ok: true, records: verdict.at.n }
        : { ok: false, records: verdict.line, why: `line ${verdict.line}: ${verdict.why}` };
    },
  });
}

function exitWhenGone({ clock }: Shell, gone: AbortController): (pages: number) => void {
  let cancel = clock.after(GONE_MS, () => gone.abort(), { idle: true });
  return (pages) => {
    cancel();
    if (pages === 0) cancel = clock.after(GONE_MS, () => gone.abort(), { idle: true });
  };
}

/** Runs the doctor on a server that the user already approved, without asking or printing. */
async function examineForPage(label: string, source: ServerSource, by: CommandContext): Promise<readonly DoctorRow[]> {
  if (typeof source !== 'object' || !('command' in source || 'url' in source)) return [];
  const values = { yes: true } as const;
  // Not a terminal: uses a stored sign-in, and does not start one.
  const shell = { ...by.shell, stdin: Object.assign(new PassThrough(), { isTTY: false }) };
  const { fetch: _, ...untapped } = { fetch: undefined, ...source };
  const examination = new Examination({ ...by, shell, values, words: [], after: undefined }, () => undefined);
  const findings = await examination.examine({ label, name: label, source: untapped as typeof source }); // the same, without the tap
  return findings.map(({ check, holds, found: text, fix, fault, isSkipped }) => ({
    check,
    state: isSkipped === true ? 'skipped' : holds ? 'passed' : 'failed',
    ...{ found: text, fix, fault },
  }));
}
