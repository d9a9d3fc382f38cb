/** Runs the checks of `mooring doctor` in order. A fatal finding ends the run. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { Masks } from '../../model/secrets.ts';
import { canAsk } from '../shell.ts';
import {
  type ApprovedTarget,
  approveTarget,
  type Lookups,
  lookupsOf,
  resolveCommand,
  resolverFor,
  resolveUrl,
} from '../target/connect-target.ts';
import type { TargetInput } from '../target/options.ts';
import { type CommandTarget, onlyTarget } from '../target/target.ts';
import { authorizationCheck } from './authorization-check.ts';
import { commandCheck, exportingModule } from './command-check.ts';
import { CheckedEndpoint } from './endpoint.ts';
import { type DoctorFinding, FatalFinding, failedFinding, passedFinding } from './finding.ts';
import { certificateCheck, connectionCheck, nameCheck } from './network-checks.ts';
import { listsCheck, resultsCheck, schemasCheck } from './offer-checks.ts';
import { openCheck, StrayOutput } from './open-check.ts';
import { sessionCheck, sessionIn, streamCheck, unkeptSession } from './session-checks.ts';
import { transportCheck } from './transport-check.ts';

export class Examination {
  readonly #input: TargetInput;
  readonly #onFinding: (finding: DoctorFinding) => void;
  readonly #lookups: Lookups;
  readonly #strayOutput: StrayOutput = new StrayOutput();
  readonly #findings: DoctorFinding[] = [];
  #masks: Masks = new Masks();

  /** `onFinding` gets each finding as soon as it is made. */
  constructor(input: TargetInput, onFinding: (finding: DoctorFinding) => void) {
    this.#input = input;
    this.#onFinding = onFinding;
    this.#lookups = lookupsOf(input);
  }

  /** Resolves with all findings. Rejects for invalid arguments. Without a target, examines the one of the command line. */
  async examine(target?: CommandTarget): Promise<readonly DoctorFinding[]> {
    try {
      await this.#target(target ?? (await onlyTarget(this.#input)));
    } catch (thrown) {
      const finding = findingOf(thrown);
      if (finding === undefined) throw thrown;
      this.#add(finding);
    }
    return this.#findings;
  }

  async #target(target: CommandTarget): Promise<void> {
    const approved = await approveTarget(target, this.#input, {
      lookups: this.#lookups,
      onOutput: this.#strayOutput.hear,
    });
    this.#masks = approved.masks;
    const { from } = target.source;
    if (from !== undefined) this.#add(passedFinding('configuration', `${from.file}, line ${from.line}`));
    if ('url' in target.source) await this.#url(target, approved);
    else await this.#command(target, approved);
  }

  async #command(target: CommandTarget, approved: ApprovedTarget): Promise<void> {
    const { source } = target;
    if (!('command' in source)) return;
    const { shell } = this.#input;
    const texts = resolverFor(target, this.#lookups, this.#masks);
    const { command, args, cwd = shell.cwd, env } = await resolveCommand(source, texts, this.#masks);
    this.#add(commandCheck(command, cwd, Object.fromEntries(env), shell));
    this.#strayOutput.module = await exportingModule(args, cwd);
    const { client, findings } = await openCheck(approved, this.#strayOutput, 'start');
    await using _closing = client;
    for (const finding of findings) this.#add(finding);
    await this.#offer(client);
    this.#add(outputFinding(this.#strayOutput.strays));
  }

  async #url(target: CommandTarget, approved: ApprovedTarget): Promise<void> {
    const { source } = target;
    if (!('url' in source)) return;
    const { shell } = this.#input;
    const texts = resolverFor(target, this.#lookups, this.#masks);
    const { url: href, headers } = await resolveUrl(source, texts);
    const url = new URL(href);
    this.#add(await nameCheck(url));
    this.#add(await connectionCheck(url, shell));
    if (url.protocol === 'https:') this.#add(await certificateCheck(url, shell));
    const endpoint = new CheckedEndpoint({ url, headers, bounds: shell });
    const { finding, answer } = await transportCheck(endpoint, shell);
    this.#add(finding);
    if (answer !== undefined) this.#add(await authorizationCheck(answer, endpoint, { signsIn: canAsk(shell) }));
    const session = answer === undefined ? undefined : sessionIn(answer);
    await using _ending = { [Symbol.asyncDispose]: async () => session && endpoint.endSession({ ...session }) };
    const { client, findings } = await openCheck(approved, this.#strayOutput, undefined);
    await using _closing = client;
    for (const one of findings) this.#add(one);
    const unkept = answer === undefined || session !== undefined ? undefined : unkeptSession(answer);
    if (unkept !== undefined) this.#add(unkept);
    if (session !== undefined) this.#add(await sessionCheck(endpoint, session));
    this.#add(await streamCheck(client, endpoint, session, shell));
    await this.#offer(client);
  }

  async #offer(client: Client): Promise<void> {
    const { signal } = this.#input.shell;
    const { findings, tools } = await listsCheck(client, signal);
    for (const finding of [...findings, ...schemasCheck(tools, client.server.revision)]) this.#add(finding);
    for (const finding of await resultsCheck(client, tools, signal)) this.#add(finding);
  }

  /** Masks secrets: a server can repeat what it was sent. */
  #add(finding: DoctorFinding): void {
    this.#input.shell.signal.throwIfAborted();
    const masked = { ...finding, found: this.#masks.mask(finding.found) };
    this.#findings.push(masked);
    this.#onFinding(masked);
  }
}

/** Undefined for invalid arguments and bugs, which are thrown. */
function findingOf(thrown: unknown): DoctorFinding | undefined {
  if (thrown instanceof FatalFinding) return thrown.finding;
  if (thrown instanceof McpError && thrown.code === 'MCP_BAD_CONFIG') return badConfiguration(thrown);
  const failedRemotely =
    thrown instanceof McpError && ['offline', 'http', 'protocol', 'exit', 'auth'].includes(thrown.kind);
  const failedInNetwork = thrown instanceof Error && 'syscall' in thrown;
  if (!failedRemotely && !failedInNetwork) return undefined;
  return failedFinding(
    'connection',
    'unreachable',
    `the connection failed during the checks: ${thrown.message}`,
    'read the log of the server, and of any proxy in front of it',
  );
}

function badConfiguration({ message }: McpError): DoctorFinding {
  const variable = /environment variable (\S+) is not set/.exec(message)?.[1];
  if (variable !== undefined)
    return failedFinding(
      'configuration',
      'missing-variable',
      message,
      `set ${variable} where the client is started, or write its value into the file`,
    );
  return failedFinding('configuration', 'bad-configuration', message);
}

function outputFinding(strays: readonly string[]): DoctorFinding {
  const [first] = strays;
  if (first === undefined) return passedFinding('output', 'only protocol messages on standard output');
  return failedFinding(
    'output',
    'stray-output',
    `${strays.length === 1 ? '1 line on standard output is not a protocol message' : `${strays.length} lines on standard output are not protocol messages`}: "${first}"`,
  );
}
