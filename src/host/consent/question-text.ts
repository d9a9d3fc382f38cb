/** Formats a consent question as text: shows the complete act, and escapes control characters (terminal injection). */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { maskSecretsIn, maskSecretWords } from '../../model/secrets.ts';
import type { Act, ActKind } from '../act/act.ts';
import type { ConsentQuestion } from './consent.ts';

const verbs: Readonly<Record<ActKind, string>> = {
  spawn: 'Start a program for',
  connect: 'Connect to',
  tool: 'Call a tool of',
  resource: 'Read a resource of',
  prompt: 'Get a prompt of',
  completion: 'Ask for suggestions from',
  extension: 'Send a request to',
  sampling: 'Let a model answer for',
  elicitation: 'Send an answer to',
  roots: 'Show folders to',
  visit: 'Open an address for',
  message: 'Send this as your message, written by',
  context: 'Tell a model what is shown by',
  download: 'Save a file from',
  skill: 'Load a skill of',
};

/** Escapes invisible and control characters. */
export const sanitizeText: (text: string) => string = printable;

/** The lines of the question. */
export function questionText({ act: asked, why, warnings }: ConsentQuestion): readonly string[] {
  const act = openingKinds.includes(asked.kind) ? withoutSecrets(asked) : asked;
  return [
    `${verbs[act.kind]} ${sanitizeText(act.server)}?`,
    `  ${sanitizeText(act.name)}`,
    ...(act.view === undefined ? [] : [`  asked for by its app ${sanitizeText(act.view)}`]),
    ...jsonText(shownArguments(act)).map((line) => `  ${line}`),
    ...(act.meta === undefined ? [] : jsonText({ _meta: act.meta }).map((line) => `  ${line}`)),
    `  effects: ${effectsText(act)}${act.openWorld ? '; may reach beyond the server' : ''}`,
    `  ${sanitizeText(why)}, so you are asked`,
    ...warnings.map((warning) => `  ! ${sanitizeText(warning)}`),
  ];
}

/** Hides an empty list of environment variables, which is part of the binding but tells the user nothing. */
function shownArguments({ kind, arguments: { env, ...rest }, arguments: all }: Act): JsonObject {
  return kind === 'spawn' && Array.isArray(env) && env.length === 0 ? rest : all;
}

/** Acts with commands and URLs from configuration files. Words that are secrets are masked, because others may see the screen. */
const openingKinds: readonly ActKind[] = ['spawn', 'connect'];
const withoutSecrets = (act: Act): Act => ({
  ...act,
  name: maskSecretWords(act.name),
  arguments: maskSecretsIn(act.arguments, { text: maskSecretWords, whole: true, words: true }) as JsonObject, // an object stays an object
});

/** Explains the question, its reason and the possible answers. The last line has the ids for the audit log. */
export function questionExplanation(question: ConsentQuestion): readonly string[] {
  const { id, act, binding, why, editable, canRemember } = question;
  const { kind, server, principal, session, status, definition, carries, tokens } = act;
  const names = { act: id, session, definition, binding };
  const known = Object.entries(names).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [
    `${purposes[kind]} "${server}", for ${principal === '' ? 'the host itself' : principal}. Nothing has been sent yet.`,
    `You are asked because ${why}.`,
    ...(status === undefined || status === 'approved' ? [] : [statusTexts[status]]),
    ...(carries.length === 0 ? [] : [`It sends text from ${carries.join(', ')} to "${server}".`]),
    ...(tokens === undefined ? [] : [`It can cost ${tokens} tokens.`]),
    canRemember
      ? 'y allows it once. a allows the same again until the session ends, w with any arguments too. n declines.'
      : 'y allows it once. You are asked each time. n declines.',
    ...(editable ? ['e lets you change the arguments first.'] : []),
    `In the audit log: ${known.join(', ')}.`,
  ].map((line) => `  ${sanitizeText(line)}`);
}

const statusTexts = {
  new: 'You have not approved its definition before.',
  changed: 'Its definition has changed since you approved it.',
  suspicious: 'Its definition has text that looks like an attack.',
} as const;

const purposes: Readonly<Record<ActKind, string>> = {
  spawn: 'The program above would be started for the server',
  connect: 'A connection would be opened to the server',
  tool: 'The tool above would be called, with these arguments, at the server',
  resource: 'The resource above would be read from the server',
  prompt: 'The prompt above would be requested from the server',
  completion: 'Suggestions for the argument above would be requested from the server',
  extension: 'The request above would be sent to the server',
  sampling: 'A model would answer a request of the server',
  elicitation: 'The answer above would be sent to the server',
  roots: 'The folders above would be shown to the server',
  visit: 'The address above would be opened, because it was named by the server',
  message: 'The text above would be sent as if you had written it. It was written by the server',
  context: 'A model would read the text above, as text of the server',
  download: 'The file above would be saved on your machine. It was made by the server',
  skill: 'The model would be given the text of the skill above, as guidance for its work. It was written by the server',
};

/** Pretty-printed JSON lines. Line breaks in strings stay escaped. */
export const jsonText = (value: unknown): readonly string[] =>
  JSON.stringify(value, undefined, 2).split('\n').map(sanitizeText);

/** The effects of an act, according to whom, and whether they are assumed. */
export function effectsText({ effects, claimed, assumed }: Act): string {
  if (effects === claimed) return effects === 'unknown' ? 'not known' : effects;
  const said = assumed
    ? `the server does not say whether it is destructive; treated as ${claimed}`
    : `the server says ${claimed}`;
  return effects === 'unknown' ? said : `${effects}; ${said}`;
}
