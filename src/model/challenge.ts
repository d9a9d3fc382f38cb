/** Parses and formats `WWW-Authenticate` (RFC 9110, section 11.6.1), and formats `Authorization: Basic`. */
import { badDefinition } from '../errors.ts';

export interface Challenge {
  /** In lower case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** Parameters by name in lower case. */
  readonly params: ReadonlyMap<string, string>;
  /** Some schemes send it in place of parameters. */
  readonly token68?: string;
}

/** Length limit of the header; the rest is ignored. */
const MAX_LENGTH = 16 * 1024;

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const isToken = new RegExp(`^${TOKEN}$`);
/** Linear time (ReDoS): alternatives, and the neighbors of a repetition, begin with different characters, so no text matches in two ways. */
const patterns = {
  /** Up to a comma outside of quotes. */
  piece: new RegExp(`(?:[^,"]|${QUOTED}?)+`, 'gs'),
  scheme: new RegExp(`^(${TOKEN})(?:[ \\t]+(.*))?`, 's'),
  token68: /^([\w.~+/-]+=*|=+)[ \t]*$/,
  paramName: new RegExp(`^(${TOKEN})[ \\t]*=`),
  param: new RegExp(`^${TOKEN}[ \\t]*=[ \\t]*(?:${QUOTED}|(${TOKEN}))`, 's'),
} as const;

interface OpenChallenge {
  readonly scheme: string;
  readonly params: Map<string, string>;
  token68?: string;
}

/** Every challenge that can be parsed; the parser skips the rest up to the next comma. */
export function parseChallenges(header: string): readonly Challenge[] {
  const found: OpenChallenge[] = [];
  // Truncated at a comma: half a value would be a wrong value.
  const bounded = header.length <= MAX_LENGTH ? header : header.slice(0, header.lastIndexOf(',', MAX_LENGTH) + 1);
  for (const [piece] of bounded.matchAll(patterns.piece)) {
    const text = piece.replace(/^[ \t]+/, '');
    const [, name, rest = ''] = (!patterns.paramName.test(text) && patterns.scheme.exec(text)) || [];
    if (name === undefined) {
      addParam(found.at(-1)?.params, text);
      continue;
    }
    const open: OpenChallenge = { scheme: name.toLowerCase(), params: new Map() };
    found.push(open);
    const [, token68] = patterns.token68.exec(rest) ?? [];
    if (token68 === undefined) addParam(open.params, rest);
    else open.token68 = token68;
  }
  return found;
}

/** Adds a parameter. If it occurs several times, the first value counts. */
function addParam(params: Map<string, string> | undefined, text: string): void {
  const name = patterns.paramName.exec(text)?.[1]?.toLowerCase();
  const [, quoted, bare] = patterns.param.exec(text) ?? [];
  const value = quoted?.replace(/\\(.)/gs, '$1') ?? bare;
  if (name !== undefined && value !== undefined && params?.has(name) === false) params.set(name, value);
}

/** Formats a challenge as a header value. Escapes quotes and removes all but printable ASCII, so that a value cannot inject headers. */
export function formatChallenge(scheme: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const written = Object.entries(params).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${checkToken(name)}="${value.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`],
  );
  return written.length === 0 ? checkToken(scheme) : `${checkToken(scheme)} ${written.join(', ')}`;
}

function checkToken(name: string): string {
  if (isToken.test(name)) return name;
  throw badDefinition(`The challenge ${JSON.stringify(name)}`, 'names of schemes and parameters must be HTTP tokens');
}

/** `Authorization: Basic`, with id and secret encoded as in forms (RFC 6749, section 2.3.1). */
export const basicCredentials = (id: string, secret: string): string =>
  `Basic ${btoa([id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':'))}`;
