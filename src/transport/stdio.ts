/** Serves one conversation on the standard streams of this process. */
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { checkServable } from '../peer/check-servable.ts';
import { systemClock } from '../peer/clock.ts';
import type { Servable } from '../peer/exchange.ts';
import { type ConversationOptions, PipeConversation } from './pipe-conversation.ts';
import { redirectStdout } from './redirect-stdout.ts';
import { takenOver } from './take-over.ts';
import { watchProcess } from './watch-process.ts';

/** Settings of a server on standard streams. */
export interface StdioOptions extends ConversationOptions {
  /** Instead of the process's own streams; then nothing of the process is touched. */
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
}

const stdioOptionNames: OptionNames<StdioOptions> = {
  ...{ input: true, output: true, clock: true, maxLineBytes: true, maxQueueBytes: true, maxInFlight: true },
  ...{ drainMs: true, onStray: true },
};

/**
 * Serves until the client closes the input, the process gets a signal to end, or its parent has exited; then answers open
 * requests and lets the process exit. Until then stdout belongs to the protocol: what else is written there goes to stderr.
 */
export async function serveStdio(server: Servable, options: StdioOptions = {}): Promise<void> {
  checkServable('serveStdio', server);
  checkOptions('serveStdio(server, options)', options, stdioOptionNames);
  const { input = process.stdin, output = process.stdout } = options;
  const taken =
    options.input === undefined && options.output === undefined ? takenOver()?.(server, 'stdio') : undefined;
  if (taken !== undefined) return taken;
  const conversation = new PipeConversation(server, { input, output }, options);
  // Not awaited: the process reads its input at once. A part that is not prepared yet waits on its own.
  const prepared = server.prepare?.();
  prepared?.catch(() => conversation.end('it cannot be served'));
  if (options.input !== undefined || options.output !== undefined) {
    await conversation.ended.finally(() => output.end());
    return prepared;
  }
  const unclaim = redirectStdout();
  const leave = watchProcess(options.clock ?? systemClock, (why) => conversation.end(why));
  try {
    await conversation.ended;
    await prepared;
  } finally {
    unclaim();
    leave();
  }
}
