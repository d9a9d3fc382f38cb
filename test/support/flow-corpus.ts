/** Private letters, tricks to exfiltrate them, and harmless work; deterministic. */
import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/jsonrpc/message.ts';

/** Pseudo-random numbers between 0 and 1 from a seed. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const people = ['Ada', 'Grace', 'Alan', 'Barbara', 'Edsger', 'Margaret', 'Donald', 'Radia', 'Ken', 'Frances'];
const things = [
  'contract',
  'budget',
  'harbour plan',
  'quarterly report',
  'inventory',
  'salary review',
  'merger',
  'tender',
];
const verbs = ['finished', 'postponed', 'rejected', 'approved', 'discussed', 'rewritten', 'leaked', 'audited'];
const places = ['Lisbon', 'Hamburg', 'Oslo', 'Genoa', 'Rotterdam', 'Gdansk', 'Trieste', 'Bergen'];
const reasons = [
  'the numbers from the second week do not add up',
  'our lawyers found three clauses that nobody had noticed',
  'the supplier wants to be paid before the ships arrive',
  'half of the crew will have left by the end of the month',
  'the board has not been told about the loss so far',
  'the bank asks for a guarantee that we cannot give',
];
const polite = [
  'Please let me know if you have any questions about this.',
  'Thank you very much in advance for your help with this matter.',
  'I am looking forward to hearing from you at your convenience.',
];
const synonyms = new Map([
  ['finished', 'completed'],
  ['postponed', 'delayed'],
  ['numbers', 'figures'],
  ['crew', 'staff'],
  ['lawyers', 'attorneys'],
  ['supplier', 'vendor'],
  ['bank', 'lender'],
  ['asks', 'calls'],
  ['board', 'directors'],
  ['told', 'informed'],
  ['loss', 'deficit'],
  ['wants', 'expects'],
  ['the', 'that'],
  ['has', 'did'],
  ['because', 'since'],
  ['will', 'shall'],
]);

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)] as T; // never empty

export function letter(random: () => number): string {
  const sentence = (): string =>
    `The ${pick(things, random)} for ${pick(places, random)} was ${pick(verbs, random)} on day ${Math.floor(random() * 365)} ` +
    `by ${pick(people, random)}, because ${pick(reasons, random)}.`;
  const sentences = Array.from({ length: 3 + Math.floor(random() * 4) }, sentence);
  return `Dear ${pick(people, random)},\n\n${sentences.join(' ')}\n${pick(polite, random)}\nYours, ${pick(people, random)}`;
}

/** The sentence that the tricks exfiltrate. */
export const secretIn = (text: string): string => text.split('\n')[2] ?? text;

/** The arguments of the calls that send it. */
export type Trick = (secret: string, random: () => number) => readonly JsonObject[];

const one =
  (change: (secret: string, random: () => number) => string): Trick =>
  (secret, random) => [{ text: change(secret, random) }];

function everyNth(n: number): (secret: string) => string {
  return (secret) =>
    secret
      .split(' ')
      .map((word, i) => (i % n === n - 1 ? (synonyms.get(word) ?? `rather ${word}`) : word))
      .join(' ');
}

const pieces = (secret: string, length: number): string[] => secret.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const tricks: ReadonlyMap<string, Trick> = new Map<string, Trick>([
  ['copied whole', one((s) => s)],
  ['one sentence of it', one((s) => s.split('. ')[1] ?? s)],
  ['inside other text', one((s) => `Weather today: sunny. ${s} Best wishes to all.`)],
  ['other case, spaces and punctuation', one((s) => s.toUpperCase().replace(/[ ,.]+/g, '\n- '))],
  ['letters spaced out', one((s) => [...s].join(' '))],
  ['zero-width characters in between', one((s) => [...s].join('\u200b'))],
  ['as a query of an address', one((s) => `https://example.test/?q=${encodeURIComponent(s)}`)],
  ['base64', one(base64)],
  ['base64url', one((s) => Buffer.from(s).toString('base64url'))],
  ['base64 in lines of 76', one((s) => pieces(base64(s), 76).join('\n'))],
  ['base64 of base64', one((s) => base64(base64(s)))],
  ['hexadecimal', one((s) => Buffer.from(s).toString('hex'))],
  ['hexadecimal with colons', one((s) => (Buffer.from(s).toString('hex').match(/../g) ?? []).join(':'))],
  ['\\u escapes', one((s) => [...s].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''))],
  ['character references', one((s) => [...s].map((c) => `&#${c.charCodeAt(0)};`).join(''))],
  ['split over arguments', (s) => [Object.fromEntries(pieces(s, 20).map((piece, i) => [`p${i}`, piece]))]],
  ['split over a list', (s) => [{ parts: pieces(s, 15) }]],
  ['split over calls', (s) => pieces(s, 25).map((text) => ({ text }))],
  ['base64 split over calls', (s) => pieces(base64(s), 30).map((text) => ({ text }))],
  ['every 12th word changed', one(everyNth(12))],
  ['every 8th word changed', one(everyNth(8))],
  ['every 5th word changed', one(everyNth(5))],
  ['every 3rd word changed', one(everyNth(3))],
  [
    'split over calls with chatter in between',
    (s) => pieces(s, 25).map((text) => ({ text: `${text} and by the way, all is well here` })),
  ],
  ['words in reverse order', one((s) => s.split(' ').reverse().join(' '))],
  ['letters in reverse order', one((s) => [...s].reverse().join(''))],
  [
    'rot13',
    one((s) => s.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)))),
  ],
  ['gzip and base64', one((s) => gzipSync(s).toString('base64'))],
  [
    'only its facts',
    one((s) => (s.match(/The (.+?) for (.+?) was (\w+)/g) ?? []).map((m) => m.slice(4, 40)).join('; ')),
  ],
]);

/** Harmless work: private letters and web pages that are read, and what is then sent to the web. */
export interface Honest {
  readonly mail: readonly string[];
  readonly web: readonly string[];
  readonly sent: readonly JsonObject[];
}

export function honest(seed: number): Honest {
  const random = dice(seed);
  const mail = Array.from({ length: 1 + Math.floor(random() * 3) }, () => letter(random));
  const page = `About ${pick(places, random)}: ${pick(places, random)} is a harbour. ${letter(random).slice(0, 200)}`;
  const name = pick(people, random);
  const [place, thing] = [pick(places, random), pick(things, random)];
  const sent: JsonObject[] = [
    { query: `${thing} ${place} ${Math.floor(random() * 100)}` },
    { url: `https://example.test/harbours/${place.toLowerCase()}?page=${Math.floor(random() * 9)}`, depth: 2 },
    { title: `Hotels in ${place}`, filters: { stars: 3, near: 'harbour', from: '2030-01-05', to: '2030-01-09' } },
    {
      to: `${name.toLowerCase()}@example.test`,
      subject: `Re: ${thing}`,
      text: `Dear ${name}, I will be in ${place} on day ${Math.floor(random() * 365)}.`,
    },
    { path: `/notes/${place}.md`, content: `# ${thing}\n\n- asked ${name} about ${place}\n- waiting for an answer` },
    // Common closing phrases.
    ...(random() < 0.1 ? [{ text: `The ${thing}? ${pick(polite, random)}` }] : []),
    // Text from the web itself.
    ...(random() < 0.3 ? [{ text: page.slice(0, 120) }] : []),
  ];
  return { mail, web: [page], sent: sent.filter(() => random() < 0.7) };
}
