/** Detects secrets by name and by form, and masks them in everything that is displayed or stored. */

/** Replaces a secret, so that a reader knows that there was one. */
export const MASK = '[masked]';

/** Names of secrets in every context. */
const always = 'pass ?(?:word|phrase|wd|code)|secret|credential|(?:api|access|private|signing) ?key';
/** Names of values that are secrets. Not `maxTokens` and other counts. */
const named = new RegExp(
  `${always}|authori[sz]ation|cookie|\\b(?:pwd|pin|otp|cvv|cvc|auth|jwt|sig|signature|session|sid|key|code|assertion)$|token$|session ?id$|code ?verifier$`,
  'i',
);
const harmless = /^(?:progress|next ?page|page|continuation|cancellation) ?token$/i;
/** Labels of form fields that ask for a secret, which no form may do. */
const asked = new RegExp(
  `${always}|passwort|kennwort|mot de passe|contrase|\\b(?:pwd|pin|otp|cvv|cvc|ssn|iban)\\b|\\btokens?\\b|seed phrase|recovery (?:code|phrase)|(?:credit|debit) ?card|card ?number|social security|one.time code|verification code`,
  'i',
);

/** Separates the words of a name: `apiKey`, `api_key` and `api-key` have two. */
const splitWords = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[-_. ]+/g, ' ');

/** Whether a value with this name is a secret. */
export const isSecretName = (name: string): boolean => named.test(splitWords(name)) && !harmless.test(splitWords(name));

/** Whether a label asks for a secret. The caller must fold lookalike letters (homoglyphs) first. */
export const asksForSecret = (label: string): boolean => asked.test(splitWords(label));

/** Values that have the form of a secret, under any name. The first group is the text before the secret, which is not masked. */
const secretForms: readonly RegExp[] = [
  /(\b(?:proxy-)?authorization\s{0,4}:\s{0,4}(?:(?:Bearer|Basic|DPoP|Digest|Negotiate|Token)\s{1,8})?)[^\s"',]+/gi,
  /(\b[a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@]+(?=@)/gi,
  /\b((?:Bearer|Basic|DPoP|Digest|Negotiate)\s{1,8})(?![\w-]+="?[^=\s])[\w.~+/=-]{8,}/gi,
  /(\b)eyJ[\w-]{8,2000}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /(\b)(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /(\b)(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|ya29\.|npm_|hf_|dop_v1_|shpat_|SG\.)[\w.-]{10,}/g,
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  // curl -u ada:hunter2, --proxy-user=ada:hunter2
  /((?:^|\s)(?:-[uU]\s{0,8}|--(?:proxy-)?user[\s=]{1,8})["']?[^\s:"']{1,256}:)[^\s"']+/g,
  /(\b(?:set-)?cookie\s{0,4}:\s{0,4})[^\r\n"']+/gi,
];
const parameter = /([?&;#]|\b)([\w.-]{1,64})=([^\s&;#"'<>]+)/g;
/** Before all other parameters: `url=https://a.example?token=x` is itself one. */
const query = /(\?)([\w.-]{1,64})=([^\s&;#"'<>]+)/g;
const flagInText = /(^|\s)(--?)([\w-]{1,64})(\s{1,8})(?!-)(?:"[^"]*"|\S+)/g;
/** `Password: hunter2` in prose. With fewer names than elsewhere: in prose, a code or a key is usually not a secret. */
const inProse =
  /\b([\w-]{0,40}(?:pass(?:word|phrase|wd|code)|secret|token|api[-_]?key))(\s{0,4}:\s{0,4}["']?)([^\s"',;]+)/gi;
/** A value that only refers to a secret, such as `${TOKEN}`. */
const reference = /^(?:\w+ )?\$\{[^{}]+\}$/;

/** Fast path: names of members, methods and levels, too short for a token, and without the punctuation that the patterns need. */
const plain = /^(?:[\w/]{0,12}|[a-z/]*)$/;

/** Masks everything in a text that looks like a secret. The text can have any length. */
export function maskSecrets(text: string, isSecret: (name: string) => boolean = isSecretName): string {
  if (plain.test(text)) return text;
  let masked = maskMembers(text, isSecret);
  for (const pattern of secretForms) masked = masked.replace(pattern, `$1${MASK}`);
  for (const pattern of [query, parameter])
    masked = masked.replace(pattern, (whole, before: string, name: string, value: string) =>
      isSecret(name) && !reference.test(value) ? `${before}${name}=${MASK}` : whole,
    );
  masked = masked.replace(flagInText, (whole, before: string, dashes: string, name: string, space: string) =>
    isSecret(name) ? `${before}${dashes}${name}${space}${MASK}` : whole,
  );
  return masked.replace(inProse, (whole, name: string, colon: string, value: string) =>
    isSecret(name) && !reference.test(value) ? `${name}${colon}${MASK}` : whole,
  );
}

/** Text of one word, which is no path and no script. */
const oneWord = /^(?![.~/])[\w.~+/=:@%-]{1,512}$/;

/** Like `maskSecrets`, for a question to the user: returns the text unchanged if a part that looks like a secret is not one word. */
export function maskSecretWords(text: string): string {
  const masked = maskSecrets(text);
  const parts = masked.split(MASK);
  let at = 0;
  for (const [i, part] of parts.entries()) {
    const found = i === parts.length - 1 ? text.length - part.length : text.indexOf(part, at);
    const hidden = text.slice(at, Math.max(at, found));
    if (!text.startsWith(part, found) || (i === 0 ? found !== 0 : !oneWord.test(hidden))) return text;
    at = found + part.length;
  }
  return masked;
}

/** Masks JSON members inside of text, at any depth of escaping: `"password": "…"`, `\"password\": \"…\"`. */
function maskMembers(text: string, isSecret: (name: string) => boolean): string {
  const member = /(\\{0,15})(["'])([^"'\\\n]{1,64})\1\2\s{0,8}:\s{0,8}/g;
  let masked = '';
  let from = 0;
  for (let found = member.exec(text); found !== null; found = member.exec(text)) {
    const [, escapes = '', quote = '', name = ''] = found;
    if (!isSecret(name)) continue;
    const start = member.lastIndex;
    const opening = escapes + quote;
    if (text.startsWith(opening, start)) {
      const end = closingQuote(text, start + opening.length, quote, escapes.length);
      const value = text.slice(start + opening.length, end);
      masked += `${text.slice(from, start)}${opening}${value === '' || reference.test(value) ? value : MASK}`;
      from = end;
    } else {
      const [bare = ''] = /^-?\d[\d.eE+-]*/.exec(text.slice(start, start + 64)) ?? [];
      if (bare === '') continue;
      masked += `${text.slice(from, start)}"${MASK}"`;
      from = start + bare.length;
    }
    member.lastIndex = from;
  }
  return masked + text.slice(from);
}

/** The index where a quoted value ends. Each level of escaping doubles the backslashes, and a quote within the value has more of them. */
function closingQuote(text: string, start: number, quote: string, escapes: number): number {
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1)) {
    let run = 0;
    while (text[at - run - 1] === '\\') run++;
    if (run % (2 * (escapes + 1)) === escapes) return at - escapes;
  }
  return text.length;
}

/** A flag such as `--token` or `-p`, whose value is the next word. */
const flag = /^--?([\w-]+)$/;
/** Names of headers that are written as a pair, `[name, value]`. Other pairs of words are usually lists. */
const headers = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key)$/i;
/** Members that name the value in `{ name: 'Authorization', value: '…' }`, a common form of headers and fields. */
const labels: readonly string[] = ['name', 'key', 'header', 'field'];
const MAX_DEPTH = 32;

export interface MaskingOptions {
  /** Masks text whose name does not mark it as a secret. */
  text(text: string): string;
  /** Also masks objects and lists whose name marks them as secret, and environments. Not for messages, where they can be schemas. */
  readonly whole: boolean;
  /** In a question, hides only words: any other text, such as a script, can be what the user decides about. */
  readonly words?: boolean;
}

const canHide = (value: unknown, { words }: MaskingOptions): boolean =>
  words !== true || typeof value !== 'string' || oneWord.test(value);

/** Masks the secrets in a JSON value: detected by name, by the preceding word, or by form. */
export function maskSecretsIn(value: unknown, options: MaskingOptions, depth = 0): unknown {
  if (typeof value === 'string') return options.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return MASK;
  return Array.isArray(value) ? maskList(value, options, depth) : maskMembersOf(value, options, depth);
}

function maskMembersOf(value: object, options: MaskingOptions, depth: number): object {
  // No prototype: a peer chose the names, and `__proto__` must be an ordinary key.
  const copy: Record<string, unknown> = Object.create(null);
  const entries = Object.entries(value);
  const [labelKey, label] =
    ('value' in value && entries.find(([key, one]) => labels.includes(key) && typeof one === 'string')) || [];
  for (const [key, one] of entries) {
    // In a pair of label and value, the label names the value, and is not a secret itself.
    const name = key === 'value' && typeof label === 'string' ? label : key === labelKey ? '' : key;
    const shown = options.whole ? key : options.text(key);
    if (options.whole && key === 'env' && typeof one === 'object' && one !== null && !Array.isArray(one))
      copy[shown] = maskValues(one);
    else
      copy[shown] = isSecretName(name) ? maskNamed(one, options, key, depth) : maskSecretsIn(one, options, depth + 1);
  }
  return copy;
}

function maskNamed(value: unknown, options: MaskingOptions, key: string, depth: number): unknown {
  if (value === null || value === '') return value;
  if (!canHide(value, options)) return maskSecretsIn(value, options, depth);
  if (options.whole) return MASK;
  if (typeof value === 'string') return reference.test(value) ? value : MASK;
  // A number named `code` is an error code, not a secret.
  if (typeof value === 'number') return key === 'code' ? value : MASK;
  if (Array.isArray(value)) return value.map((one) => maskNamed(one, options, key, depth + 1));
  return maskSecretsIn(value, options, depth + 1);
}

/** Masks all values of an environment, and shows only its names. */
function maskValues(environment: object): object {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(environment)) copy[key] = MASK;
  return copy;
}

function maskList(values: readonly unknown[], options: MaskingOptions, depth: number): unknown[] {
  const isHidden = (value: unknown, at: number): boolean => isAnnounced(values, at) && canHide(value, options);
  return values.map((value, at) => (isHidden(value, at) ? MASK : maskSecretsIn(value, options, depth + 1)));
}

/** Whether the preceding word marks a value as a secret: `['--token', 'x']`, `['-u', 'ada:x']`, `['Authorization', 'x']`. */
function isAnnounced(values: readonly unknown[], at: number): boolean {
  const [before, value] = [values[at - 1], values[at]];
  if (typeof before !== 'string' || typeof value !== 'string') return false;
  const [, name] = flag.exec(before) ?? [];
  if (name === undefined) return values.length === 2 && headers.test(before);
  if (/^(?:u|U|user|proxy-user)$/.test(name)) return value.includes(':');
  return isSecretName(name) && !flag.test(value);
}

/** The minimum length of a known secret: shorter ones would mask parts of ordinary words. */
const SHORTEST = 6;

/** Replaces known secrets, such as those of a server's environment, in text that is shown or stored. */
export class Masks {
  /** Longest first, because one secret can be a part of another. */
  #secrets: readonly string[] = [];

  add(secret: string): void {
    const lines = secret.split(/\r?\n/).map((line) => line.trim());
    const all = new Set([...this.#secrets, ...lines.filter(({ length }) => length >= SHORTEST)]);
    this.#secrets = [...all].toSorted((a, b) => b.length - a.length);
  }

  mask(text: string): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, MASK);
    return masked;
  }
}
