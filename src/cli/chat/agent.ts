/** Sends a line that is not a slash command, or a prompt, to the model, and shows its text and tool calls as they happen. */
import { McpError } from '../../errors.ts';
import type { AgentEvent, SessionPrompt } from '../../host/index.ts';
import { printable, printableIndented, printableLines } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { errorText } from '../error-text.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import type { Chat } from './chat.ts';
import { NO_MODEL } from './model.ts';
import type { Screen } from './screen.ts';
import { preview, shorten } from './shorten.ts';

/** Resolves with exit code 1 if a call was denied or a limit was reached: the task may be incomplete. */
export async function askModel(
  input: string | SessionPrompt,
  chat: Chat,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  if (!chat.hasModel) throw badArgument(shorten(typeof input === 'string' ? input : input.name, 40), NO_MODEL);
  let ended: ExitCode | undefined;
  const bars: Bars = new Map();
  for await (const event of chat.session.run(input, { signal })) {
    showEvent(event, chat.screen, bars);
    if (event.type === 'error') ended = exitCodeOf(event.error);
    if (event.type === 'denied' || (event.type === 'done' && event.limit !== undefined)) ended ??= exitCodes.no;
  }
  return ended;
}

/** Progress bars by call id. */
type Bars = Map<string, ReturnType<Screen['progress']>>;

function showEvent(event: AgentEvent, screen: Screen, bars: Bars): void {
  const { print } = screen;
  if (print.json) {
    screen.result(event.type === 'error' ? { type: 'error', message: event.error.message } : event, []);
    return;
  }
  const dim = (text: string): string => print.style('dim', text, 'stderr');
  switch (event.type) {
    case 'text':
      screen.piece(printableLines(event.text));
      return;
    case 'tool-start':
      screen.note(
        `${print.style('cyan', '→', 'stderr')} ${printable(event.name)} ${dim(shorten(JSON.stringify(event.arguments)))}`,
      );
      return;
    case 'tool-result':
      screen.note(`${print.style(event.isError ? 'red' : 'green', '←', 'stderr')} ${dim(preview(event.text))}`);
      return;
    case 'denied': {
      const [mark, name] = [print.style('red', '✗', 'stderr'), printable(event.name)];
      if (event.why === USER_DECLINED) screen.note(`${mark} you declined ${name}`);
      else screen.note(`${mark} ${name} was denied: ${printableIndented(event.why)}`);
      return;
    }
    case 'error':
      if (isCancelled(event.error)) screen.note(print.style('yellow', 'cancelled', 'stderr'));
      else screen.note(`${print.style('red', 'error', 'stderr')} ${printableIndented(errorText(event.error))}`);
      return;
    case 'done':
      screen.piece('\n');
      if (event.limit !== undefined) screen.note(dim(`stopped: the limit of ${event.limit} is reached`));
      return;
    case 'progress':
      if (!bars.has(event.id)) bars.set(event.id, screen.progress(printable(event.name)));
      bars.get(event.id)?.update(event);
      return;
    case 'approval':
    case 'usage':
      return;
  }
}

/** Set by the host as `why` if the user, not a rule, rejected the call. */
const USER_DECLINED = 'the user declined';

const isCancelled = (error: Error): boolean => error instanceof McpError && error.code === 'MCP_CANCELLED';
