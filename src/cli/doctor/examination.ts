/** Examines one target: one check after the other, until one fails that the rest would build on. */
import type { Client } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { Masks } from '../../model/secrets.ts';
import { rejectExtra } from '../arguments.ts';
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
import { type CommandTarget, targetIn } from '../target/target.ts';
import { authorizationCheck } from './authorization-check.ts';
import { commandCheck, exportingModule } from './command-check.ts';
import { CheckedEndpoint } from './endpoint.ts';
import { type DoctorFinding, FatalFinding, failedFinding, passedFinding } from './finding.ts';
import { certificateCheck, connectionCheck, nameCheck } from './network-checks.ts';
import { listsCheck, resultsCheck, schemasCheck } from './offer-checks.ts';
import { openCheck, StrayOutput } from './open-check.ts';
import { sessionCheck, sessionIn, streamCheck, unkeptSession } from './session-checks.ts';
import { transportCheck } from './transport-check.ts';

/** How long one answer may take that is asked for by hand. */
const ANSWER_MS = 10_000;

export class Examination {
  readonly #input: TargetInput;
  readonly #tell: (finding: DoctorFinding) => void;
  readonly #lookups: Lookups;
  readonly #strayOutput: StrayOutput = new StrayOutput();
  readonly #findings: DoctorFinding[] = [];
  #masks: Masks = new Masks();

  /** `tell` hears of every finding when it is found. */
  constructor(input: TargetInput, tell: (finding: DoctorFinding) => void) {
    this.#input = input;
    this.#tell = tell;
    this.#lookups = lookupsOf(input);
  }

  /** Everything that was found. Throws what is wrong with the command line itself. */
  async examine(): Promise<readonly DoctorFinding[]> {
    return this.#examine(async () => {
      const { target, words } = await targetIn(this.#input);
      rejectExtra(words);
      return target;
    });
  }

  /** The same for a target that was found before. */
  examineTarget(target: CommandTarget): Promise<readonly DoctorFinding[]> {
    return this.#examine(async () => target);
  }

  async #examine(find: () => Promise<CommandTarget>): Promise<readonly DoctorFinding[]> {
    try {
      await this.#target(await find());
    } catch (thrown) {
      const finding = findingOf(thrown);
      if (finding === undefined) throw thrown;
      this.#found(finding);
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
    if (from !== undefined) this.#found(passedFinding('configuration', `${from.file}, line ${from.line}`));
    if ('url' in target.source) await this.#address(target, approved);
    else await this.#command(target, approved);
  }

  async #command(target: CommandTarget, approved: ApprovedTarget): Promise<void> {
    const { source } = target;
    if (!('command' in source)) return;
    const { shell } = this.#input;
    const texts = resolverFor(target, this.#lookups, this.#masks);
    const { command, args, cwd = shell.cwd, env } = await resolveCommand(source, texts, this.#masks);
    this.#found(commandCheck(command, cwd, Object.fromEntries(env), shell));
    this.#strayOutput.module = await exportingModule(args, cwd);
    const { client, findings } = await openCheck(approved, this.#strayOutput, 'start');
    await using _closing = client;
    for (const finding of findings) this.#found(finding);
    await this.#offer(client);
    this.#found(outputFinding(this.#strayOutput.strays));
  }

  async #address(target: CommandTarget, approved: ApprovedTarget): Promise<void> {
    const { source } = target;
    if (!('url' in source)) return;
    const { shell } = this.#input;
    const texts = resolverFor(target, this.#lookups, this.#masks);
    const { url: href, headers } = await resolveUrl(source, texts);
    const url = new URL(href);
    this.#found(await nameCheck(url));
    this.#found(await connectionCheck(url, shell));
    if (url.protocol === 'https:') this.#found(await certificateCheck(url, shell));
    const endpoint = new CheckedEndpoint({ url, headers, bounds: shell, ms: ANSWER_MS });
    const { finding, answer } = await transportCheck(endpoint, shell);
    this.#found(finding);
    if (answer !== undefined) this.#found(await authorizationCheck(answer, endpoint, { signsIn: canAsk(shell) }));
    const session = answer === undefined ? undefined : sessionIn(answer);
    const { client, findings } = await openCheck(approved, this.#strayOutput, undefined);
    await using _closing = client;
    for (const one of findings) this.#found(one);
    const unkept = answer === undefined || session !== undefined ? undefined : unkeptSession(answer);
    if (unkept !== undefined) this.#found(unkept);
    if (session !== undefined) this.#found(await sessionCheck(endpoint, session));
    this.#found(await streamCheck(client, endpoint, session, shell));
    if (session !== undefined) await endpoint.endSession({ ...session });
    await this.#offer(client);
  }

  async #offer(client: Client): Promise<void> {
    const { findings, tools } = await listsCheck(client);
    for (const finding of [...findings, ...schemasCheck(tools, client.server.revision)]) this.#found(finding);
    for (const finding of await resultsCheck(client, tools)) this.#found(finding);
  }

  /** A server may repeat what it was given. */
  #found(finding: DoctorFinding): void {
    this.#input.shell.signal.throwIfAborted();
    const told = { ...finding, found: this.#masks.mask(finding.found) };
    this.#findings.push(told);
    this.#tell(told);
  }
}

/** Undefined for what is wrong with the command line, and for a mistake of ours. */
function findingOf(thrown: unknown): DoctorFinding | undefined {
  if (thrown instanceof FatalFinding) return thrown.finding;
  if (thrown instanceof McpError && thrown.code === 'MCP_BAD_CONFIG') return badConfiguration(thrown);
  const ended = thrown instanceof McpError && ['offline', 'http', 'protocol', 'exit', 'auth'].includes(thrown.kind);
  const cut = thrown instanceof Error && 'syscall' in thrown;
  if (!ended && !cut) return undefined;
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
