/** Runs one act of a command on a host: with a progress bar, answers to questions, and Ctrl-C. */
import type { RequestOptions } from '../../host/index.ts';
import type { ExitCode } from '../exit-codes.ts';
import { QuestionAnswerer } from '../questions/question-answerer.ts';
import type { CommandTarget } from '../target/target.ts';
import type { HostContext } from './host-settings.ts';
import { type OpenedHost, type OpenHostOptions, openHost } from './open-host.ts';

export interface HostRun extends OpenedHost {
  readonly request: RequestOptions & { readonly signal: AbortSignal };
  /** Takes the progress bar away before something is printed. */
  endProgress(): void;
}

/** `what` stands in front of the progress bar. */
export async function runOnHost(
  target: CommandTarget,
  by: HostContext & { readonly values: { readonly answer?: readonly string[] } } & Pick<OpenHostOptions, 'tickets'>,
  what: string,
  run: (opened: HostRun) => Promise<ExitCode | undefined>,
): Promise<ExitCode | undefined> {
  const bar = by.print.progress(what);
  const endProgress = (): void => bar.end();
  const answerer = new QuestionAnswerer(by, {
    answers: by.values.answer,
    server: 'url' in target.source && target.source.from === undefined ? target.label : undefined,
    lendTerminal: (ask) => bar.pauseDuring(ask),
  });
  await using opened = await openHost(target, by, { ...answerer.host, tickets: by.tickets });
  const { host, label, session, client } = opened;
  return await answerer
    .during((signal) => {
      bar.begin();
      const request: HostRun['request'] = { signal, onProgress: (report) => bar.update(report) };
      return run({ host, label, session, client, request, endProgress, [Symbol.asyncDispose]: async () => undefined });
    })
    .finally(endProgress);
}
