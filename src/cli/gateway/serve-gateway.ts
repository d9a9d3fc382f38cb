/** Runs a gateway until SIGTERM, Ctrl-C or a drain, and reloads its file. */
import type { FileWatch } from '../../files/file-watch.ts';
import type { GatewayFile } from '../../gateway/file/gateway-file.ts';
import { type GatewayProcess, type ReloadReport, startGateway } from '../../gateway/operations/gateway-process.ts';
import { networkReason, printableIndented } from '../../model/printable.ts';
import { onAbort } from '../../peer/wait.ts';
import { listenFault } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { countText, findingLine, type NamedFile, readFileFor } from './file-report.ts';
import { openRedis } from './open-redis.ts';

export interface GatewayRun {
  readonly file: NamedFile;
  readonly port: number | undefined;
  /** Already open when the file was read, so that no change is missed. */
  readonly watch: FileWatch | undefined;
}

export async function serveGateway(
  config: GatewayFile,
  { file, port, watch }: GatewayRun,
  { shell, print }: CommandContext,
): Promise<ExitCode | undefined> {
  const { clock, signal } = shell;
  const onWarning = (warning: string): void => print.note(printableIndented(warning));
  const redis = config.stores?.redis === undefined ? undefined : await openRedis(config.stores, shell, onWarning);
  try {
    const starting = startGateway(config, { clock, port, stores: redis?.stores, onWarning });
    const reportFailure = (why: string): void =>
      print.note(`${file.name} was not reloaded; the running configuration stays: ${printableIndented(why)}`);
    const reload = oneAtATime(async () => {
      const running = await starting;
      const report = await readFileFor(file.path, shell);
      for (const finding of report.findings) print.note(findingLine(finding, file.name, print, 'stderr'));
      const done = report.config === undefined ? countText(report.findings) : running.reload(report.config);
      if (typeof done === 'string') reportFailure(done);
      else print.note(`Reloaded ${file.name}${reloadText(done)}`);
      print.event({ event: 'reloaded', ok: typeof done !== 'string', ...(typeof done === 'string' ? {} : done) });
    }, reportFailure);
    watch?.start(() => void reload());
    const running = await starting.catch((thrown: unknown) => {
      throw listenFault(thrown, file.name, 'change "listen", "operations" or "peer" in the file');
    });
    print.note(`Serving at ${print.style('cyan', running.url, 'stderr')}, status at ${running.operationsUrl}/status`);
    print.event({ event: 'listening', url: running.url, operations: running.operationsUrl });
    shell.onReload?.(() => void reload());
    const isInterrupted = await untilEnd(signal, running);
    watch?.close();
    print.note('Draining: running calls can finish');
    await running.drain(isInterrupted ? 0 : undefined);
    shell.leave?.();
    return isInterrupted ? exitCodes.interrupted : undefined;
  } finally {
    watch?.close();
    redis?.close();
  }
}

/** Resolves when the gateway must end: true for Ctrl-C, where draining does not wait for a load balancer to notice. */
function untilEnd(signal: AbortSignal, running: GatewayProcess): Promise<boolean> {
  return new Promise((resolve) => {
    void running.drained.then(() => resolve(false));
    onAbort(signal, () => resolve(signal.reason === 'SIGINT'));
  });
}

/** Serializes reloads. Requests during a reload cause one more after it. A failed reload is reported and does not end the loop. */
function oneAtATime(run: () => Promise<void>, fail: (why: string) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const start = async (): Promise<void> => {
    do {
      again = false;
      await run().catch((thrown: unknown) => fail(networkReason(thrown)));
    } while (again);
    running = undefined;
  };
  return () => {
    again = running !== undefined;
    running ??= start();
    return running;
  };
}

function reloadText({ added, removed, changed, needRestart }: ReloadReport): string {
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(', ')}`]),
    ...(changed.length === 0 ? [] : [`reconnecting ${changed.join(', ')}`]),
    ...(needRestart.length === 0 ? [] : [`changes of ${needRestart.join(', ')} need a restart`]),
  ];
  return parts.length === 0 ? '' : `: ${parts.join('; ')}`;
}
