/** Asks for consent on a terminal, one question at a time. An unclear answer never counts as consent. */
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { canPrompt, queueOnTerminal, type TerminalPrompt, withPrompt } from '../../terminal/terminal-prompt.ts';
import type { Consent, ConsentAnswer, ConsentQuestion } from './consent.ts';
import { jsonText, questionExplanation, questionText, sanitizeText } from './question-text.ts';

/** The streams of the terminal. */
export interface TerminalOptions {
  /** Default: standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Default: standard error, because standard output may carry a protocol. */
  readonly output?: Writable & { readonly isTTY?: boolean };
  readonly clock?: Clock;
  /** Called when the user presses Ctrl-C at any question, or Ctrl-D at a consent question, before the question is dismissed. */
  readonly onInterrupt?: () => void;
}

/** An earlier answer was probably typed before the question appeared (type-ahead), so it is ignored. */
const QUICKEST_MS = 300;

/** Asks for consent on a terminal. Declines everything if input or output is not a terminal. */
export function terminalConsent(options: TerminalOptions = {}): Consent {
  const { input = process.stdin, output = process.stderr, clock = systemClock } = options;
  const { onInterrupt = () => undefined } = options;
  return {
    ask: (question, signal) =>
      queueOnTerminal(input, () => askOn({ input, output, clock, onInterrupt }, question, signal)),
  };
}

type ConsentTerminal = Required<TerminalOptions>;

async function askOn(
  { input, output, clock, onInterrupt }: ConsentTerminal,
  question: ConsentQuestion,
  signal: AbortSignal,
): Promise<ConsentAnswer> {
  const say = (...lines: readonly string[]): void => void output.write(`${lines.join('\n')}\n`);
  if (signal.aborted) return refusal('it was cancelled');
  if (!canPrompt({ input, output })) {
    say(
      `Declined, because this is not a terminal: ${sanitizeText(question.act.kind)} ${sanitizeText(question.act.name)}`,
    );
    return refusal('this is not a terminal');
  }
  try {
    return await withPrompt({ input, output }, { signal, onLeave: onInterrupt }, (prompt) => {
      prompt.say('', ...questionText(question));
      return askUntilAnswered(question, prompt, clock);
    });
  } catch {
    say('Declined.');
    return refusal(signal.aborted ? 'it was cancelled' : 'the question was dismissed');
  }
}

async function askUntilAnswered(
  question: ConsentQuestion,
  { ask, say }: TerminalPrompt,
  clock: Clock,
): Promise<ConsentAnswer> {
  const { editable, canRemember, binding } = question;
  const always = canRemember ? ', [a]lways with these arguments, al[w]ays with any' : '';
  const choices = `[y]es, [n]o${always}${editable ? ', [e]dit' : ''}, [?] explain: `;
  const yes: ConsentAnswer = { allow: true, binding };
  const shownAt = clock.now();
  for (;;) {
    const said = await ask(choices);
    if (/^no?$/i.test(said)) return refusal(undefined);
    if (clock.now() - shownAt < QUICKEST_MS) {
      say('That was typed before the question was shown. Answer again.');
      continue;
    }
    if (/^y(?:es)?$/i.test(said)) return yes;
    if (/^a(?:lways)?$/i.test(said) && canRemember)
      return { ...yes, remember: { for: 'these arguments', until: 'session' } };
    if (/^w$/i.test(said) && canRemember) return { ...yes, remember: { for: 'any arguments', until: 'session' } };
    if (/^e(?:dit)?$/i.test(said) && editable) {
      const edited = await askForArguments({ ask, say });
      if (edited !== undefined) return { ...yes, arguments: edited };
    } else if (said === '?') say(...questionExplanation(question));
    else say('Answer with one of the letters.');
  }
}

/** Asks for edited arguments; undefined if the user does not confirm them. */
async function askForArguments({ ask, say }: TerminalPrompt): Promise<JsonObject | undefined> {
  const edited = parseObject(await ask('The arguments instead, as JSON on one line: '));
  if (edited === undefined) {
    say('That is not a JSON object; nothing is changed.');
    return undefined;
  }
  say(...jsonText(edited).map((line) => `  ${line}`));
  return /^y(?:es)?$/i.test(await ask('Send this? [y]es, [n]o: ')) ? edited : undefined;
}

const refusal = (reason: string | undefined): ConsentAnswer =>
  reason === undefined ? { allow: false } : { allow: false, reason };
