/** A question as lines of text: all of what would be done, whole, and nothing in it that could drive a terminal. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { maskSecrets, maskSecretsIn } from '../../model/secrets.ts';
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
};

/** Text from outside, made harmless and visible. */
export const sanitizeText: (text: string) => string = printable;

/** What the user must see before agreeing. */
export function questionText({ act: asked, why, warnings }: ConsentQuestion): readonly string[] {
  const act = opens.includes(asked.kind) ? withoutSecrets(asked) : asked;
  return [
    `${verbs[act.kind]} ${sanitizeText(act.server)}?`,
    `  ${sanitizeText(act.name)}`,
    ...jsonText(act.arguments).map((line) => `  ${line}`),
    ...(act.meta === undefined ? [] : jsonText({ _meta: act.meta }).map((line) => `  ${line}`)),
    `  effects: ${effectsText(act)}`,
    `  asked because: ${sanitizeText(why)}`,
    ...warnings.map((warning) => `  ! ${sanitizeText(warning)}`),
  ];
}

/** Commands and addresses come from configuration files: their secrets say nothing to the user, and a screen is seen by others. */
const opens: readonly ActKind[] = ['spawn', 'connect'];
const withoutSecrets = (act: Act): Act => ({
  ...act,
  name: maskSecrets(act.name),
  arguments: maskSecretsIn(act.arguments, { text: maskSecrets, whole: true }) as JsonObject, // an object stays one
});

/** All that is known of it. */
export function questionFacts({ id, act, binding }: ConsentQuestion): readonly string[] {
  const { principal, session, status, definition, carries, tokens } = act;
  const facts: readonly (readonly [string, unknown])[] = [
    ['act', id],
    ['for', principal === '' ? 'the host itself' : principal],
    ['session', session],
    ['status of the definition', status],
    ['definition', definition],
    ['carries text of', carries.length === 0 ? undefined : carries.join(', ')],
    ['may cost, in tokens', tokens],
    ['binds to', binding],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${sanitizeText(String(value))}`]));
}

/** JSON, a line for each member. Line breaks inside of text stay inside of it. */
export const jsonText = (value: unknown): readonly string[] =>
  JSON.stringify(value, undefined, 2).split('\n').map(sanitizeText);

function effectsText({ effects, claimed, openWorld }: Act): string {
  const said = effects === claimed ? effects : `${effects}; the server says ${claimed}`;
  return openWorld ? `${said}; may reach beyond the server` : said;
}
