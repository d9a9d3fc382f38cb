/** Serves one conversation on the standard streams of this process. */
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { checkServable } from '../peer/check-servable.ts';
import { systemClock } from '../peer/clock.ts';
import type { Servable } from '../peer/exchange.ts';
import { type ConversationOptions, PipeConversation } from './pipe-conversation.ts';
import { redirectStdout } from './redirect-stdout.ts';
import { installedTakeOver } from './take-over.ts';
import { watchProcess } from './watch-process.ts';

/** Settings of a server on standard streams. */
export interface StdioOptions extends ConversationOptions {
  /** Replaces the streams of the process. Then the server neither redirects stdout nor handles signals. */
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
}

const stdioOptionNames: OptionNames<StdioOptions> = {
  ...{ input: true, output: true, clock: true, maxLineBytes: true, maxQueueBytes: true, maxInFlight: true },
  ...{ drainMs: true, onStray: true },
};

/**
 * Serves until the client closes the input, the process gets SIGTERM or SIGINT, or the parent process exits. Then answers open
 * requests and lets the process exit. Until then, stdout is reserved for the protocol: other output goes to stderr.
 */
export async function serveStdio(server: Servable, options: StdioOptions = {}): Promise<void> {
  checkServable('serveStdio', server);
  checkOptions('serveStdio(server, options)', options, stdioOptionNames);
  const { input = process.stdin, output = process.stdout } = options;
  const taken =
    options.input === undefined && options.output === undefined ? installedTakeOver()?.(server, 'stdio') : undefined;
  if (taken !== undefined) return taken;
  const conversation = new PipeConversation(server, { input, output }, options);
  // Not awaited: input is read at once, and calls of a part that is not ready wait for it.
  const prepared = server.prepare?.();
  prepared?.catch(() => conversation.end('it cannot be served'));
  if (options.input !== undefined || options.output !== undefined) {
    await conversation.ended.finally(() => output.end());
    return prepared;
  }
  const restoreStdout = redirectStdout();
  const stopWatching = watchProcess(options.clock ?? systemClock, (why) => conversation.end(why));
  try {
    await conversation.ended;
    await prepared;
  } finally {
    restoreStdout();
    stopWatching();
  }
}
