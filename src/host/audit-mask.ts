/** Secrets do not go into an audit. What looks like one is replaced, so it is known that there was something. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Act } from './act.ts';

export const MASK = '[masked]';
/** Longer text is cut; its hash says whether it was the same. */
const MAX_TEXT = 4_096;
const KEPT = 1_024;
const MAX_SCANNED = 65_536;
const MAX_DEPTH = 32;
const CUT = /… \[\d+ characters, sha256 [0-9a-f]{64}\]$/;

/** Names whose values are secrets. Counts of tokens are none. */
const secretName =
  /pass(?:word|phrase|wd|code)|secret|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|signing[-_ ]?key|authori[sz]ation|cookie|(?:^|[-_ ])(?:pwd|pin|otp|cvv|cvc|auth|jwt|sig|signature|session|sid|key|code)$|token$|session[-_ ]?id$/i;
const harmlessName = /^(?:progress|next[-_]?page|page|continuation|cancellation)[-_]?token$/i;

/** Values that are secrets by their looks, whatever they are called. What stands before the secret is kept. */
const secretTexts: readonly RegExp[] = [
  /\b((?:Bearer|Basic|DPoP|Digest|Negotiate)\s{1,8})[\w.~+/=-]{8,}/gi,
  /(\b)eyJ[\w-]{8,2000}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /(\b)(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /(\b)(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|ya29\.|npm_|hf_|dop_v1_|shpat_|SG\.)[\w.-]{10,}/g,
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
];
const urlCredentials = /(\b[a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@]+@/gi;
const parameter = /([?&;#]|\b)([\w.-]{1,64})=([^\s&;#"'<>]+)/g;
/** `--token`, `-p`: the next word is the secret. */
const flag = /^--?([\w-]+)$/;
const flagInText = /(^|\s)(--?)([\w-]{1,64})(\s{1,8})(?!-)(?:"[^"]*"|\S+)/g;

/** The act as it may be written down. */
export function maskedAct(act: Act): Act {
  return { ...act, name: maskedText(act.name), arguments: maskedObject(act.arguments, 0) };
}

/** Text without what looks like a secret; long text is cut. */
export function maskedText(text: string): string {
  if (text.length <= MAX_TEXT) return scrubbed(text);
  return cut(scrubbed(text.slice(0, MAX_SCANNED)), text);
}

/** The same, of any length and with nothing cut. */
export function scrubbed(text: string): string {
  let masked = text.replace(urlCredentials, `$1${MASK}@`);
  for (const pattern of secretTexts) masked = masked.replace(pattern, `$1${MASK}`);
  masked = masked.replace(parameter, (whole, before: string, name: string) =>
    isSecretName(name) ? `${before}${name}=${MASK}` : whole,
  );
  return masked.replace(flagInText, (whole, before: string, dashes: string, name: string, space: string) =>
    isSecretName(name) ? `${before}${dashes}${name}${space}${MASK}` : whole,
  );
}

/** Whether something of a value was left out, so that nobody can judge by it any more. */
export const isIncomplete = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes(MASK) || CUT.test(value));

function maskedObject(value: JsonObject, depth: number): JsonObject {
  // Names are the caller's: no prototype, so that each of them is a name.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, one] of Object.entries(value)) {
    if (isSecretName(key) && one !== null && one !== '') copy[key] = MASK;
    else copy[key] = key === 'env' && isObject(one) ? namesOnly(one) : maskedValue(one, depth + 1);
  }
  return copy;
}

/** An environment is known by its names. */
function namesOnly(environment: JsonObject): JsonObject {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(environment)) copy[key] = MASK;
  return copy;
}

function maskedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return MASK;
  return Array.isArray(value) ? maskedList(value, depth) : maskedObject(value as JsonObject, depth); // no array, no null
}

function maskedList(values: readonly unknown[], depth: number): unknown[] {
  return values.map((value, i) => {
    const before: unknown = values[i - 1];
    const [, name] = (typeof before === 'string' && flag.exec(before)) || [];
    const announced = name !== undefined && isSecretName(name) && typeof value === 'string' && !flag.test(value);
    return announced ? MASK : maskedValue(value, depth + 1);
  });
}

/** Whether what stands under this name is a secret. */
export const isSecretName = (name: string): boolean =>
  secretName.test(name.replace(/([a-z\d])([A-Z])/g, '$1_$2')) && !harmlessName.test(name);

/** The hash is of the text before masking. A secret at the end of what was scanned may be half a secret, and is left out. */
function cut(masked: string, text: string): string {
  const kept = masked.slice(0, Math.min(KEPT, Math.max(0, masked.length - MAX_TEXT)));
  const hash = createHash('sha256').update(text).digest('hex');
  return `${kept}… [${text.length} characters, sha256 ${hash}]`;
}
