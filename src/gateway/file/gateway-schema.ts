/** The JSON Schema of the gateway's file: published, and used for validation. */
import type { CallLimit } from '../policy/gateway-rules.ts';
import type { ViewSelection, ViewSpec } from '../spec.ts';
import {
  addressMember,
  choiceMember,
  countMember,
  type FileSchema,
  flagMember,
  labelMember,
  listMember,
  objectMember,
  oneOfMembers,
  pathMember,
  recordMember,
  textMember,
  textOrTextsMember,
  textsMember,
  urlMember,
} from './file-schema.ts';
import type { FileEntry, GatewayFile } from './gateway-file.ts';
import { ruleSchema } from './rule-schema.ts';
import { upstreamSchema } from './upstream-schema.ts';

const names = textsMember('Names; * stands for anything.');
const someOf = oneOfMembers(
  recordMember(
    objectMember<ViewSelection>('Parts of one upstream.', { tools: names, prompts: names, resources: names }),
    'A label with the parts that are shown.',
    labelMember,
  ),
);

const view = objectMember<ViewSpec>(
  'One endpoint: which upstreams, and which parts of them.',
  {
    of: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [labelMember, someOf] },
      description: 'Upstreams, or parts of them.',
    },
    instructions: textMember('How a model uses this view.'),
    apps: textsMember('Upstreams whose pages are passed on.'),
  },
  ['of'],
);

const rate = objectMember<Pick<CallLimit, 'calls' | 'perMs'>>(
  'A rate.',
  { calls: countMember('Requests.'), perMs: countMember('In so many milliseconds.') },
  ['calls', 'perMs'],
);

const listen = objectMember<FileEntry<'listen'>>('Where callers reach it.', {
  address: addressMember('127.0.0.1:8443. Without "auth", an address of this machine.'),
  hosts: textsMember('Values of Host to answer to; by default those of this machine.'),
  origins: textsMember('Origins of web pages that can call.'),
  path: pathMember('/mcp', 'The path of the view "default"; others are below it. /mcp.'),
  sse: pathMember('/sse', 'HTTP+SSE for the oldest callers; off by default.'),
  sessions: choiceMember(['store', 'sealed', 'none'], 'Where sessions of revisions with a handshake are kept. store.'),
});

const auth = objectMember<FileEntry<'auth'>>(
  'Whose tokens are accepted.',
  {
    issuer: urlMember('The issuer of the tokens.'),
    audience: urlMember('The URL of this gateway, as callers use it.'),
    jwksUri: urlMember('Where the keys of the issuer are; by default, where its metadata says.'),
    scopes: textsMember('Scopes that every request needs.'),
  },
  ['issuer', 'audience'],
);

const members: { readonly [K in keyof GatewayFile]-?: FileSchema } = {
  $schema: textMember('Where this description is.'),
  gateway: objectMember<FileEntry<'gateway'>>('What the gateway says of itself.', {
    name: textMember('Its name.'),
    title: textMember('Its name, as users see it.'),
    version: textMember('Its version.'),
    instructions: textMember('How a model uses it.'),
  }),
  listen,
  operations: objectMember<FileEntry<'operations'>>(
    'Health, readiness, status and metrics, on a listener of their own.',
    {
      listen: addressMember('127.0.0.1:9090.'),
      token: textMember('A bearer token for /status and /drain; without it, these answer on this machine only.'),
    },
  ),
  secrets: objectMember<FileEntry<'secrets'>>(
    'Where secrets are looked up: the folder, the variable NAME, the command.',
    {
      folder: textMember('A folder with a file for each secret.'),
      command: { ...textsMember('A program with arguments that prints the secret. The name is added.'), minItems: 1 },
    },
  ),
  auth,
  upstreams: recordMember(upstreamSchema, 'The servers behind it, by label.', labelMember),
  import: textOrTextsMember('Configuration files of applications whose servers become upstreams.'),
  views: recordMember(view, 'The endpoints. Without any, "default" has all upstreams.', labelMember),
  names: objectMember<FileEntry<'names'>>('How parts of upstreams are called.', {
    style: choiceMember(['prefix', 'bare'], 'label__name, or the name alone. prefix.'),
    uris: choiceMember(['wrap', 'as-is'], 'label+uri, or the URI alone. wrap.'),
    rename: recordMember(
      recordMember({ type: 'string' }, 'Names.'),
      "By label: the upstream's names, and what callers see.",
    ),
    prefer: recordMember({ type: 'string' }, 'By name: the upstream that has it, where several claim it.'),
  }),
  policy: listMember(ruleSchema, 'The rules, in their order. Without any, everything is allowed.'),
  rates: objectMember<FileEntry<'rates'>>('How often callers can call.', { perPrincipal: rate, lists: rate }),
  stores: objectMember<FileEntry<'stores'>>('Where state is kept that nodes share.', {
    redis: {
      type: 'string',
      pattern: '^rediss?://',
      title: 'a URL that begins with redis:// or rediss://',
      description: 'Redis or Valkey.',
    },
    prefix: textMember('Of every key. mcp.'),
  }),
  keys: objectMember<FileEntry<'keys'>>(
    'Keys of 32 bytes in base64url, separated by blanks. The first one seals, all of them open.',
    {
      state: textMember('For what callers carry: states and sealed sessions.'),
      peer: textMember('For messages between nodes.'),
    },
  ),
  peer: objectMember<FileEntry<'peer'>>(
    'How other nodes reach this one.',
    { listen: addressMember('Where this node listens for them.'), advertise: urlMember('What they connect to.') },
    ['listen', 'advertise'],
  ),
  lock: {
    anyOf: [
      textMember('The file.'),
      objectMember<FileEntry<'lock'>>(
        'The file, and what happens to new parts.',
        {
          file: textMember('The file.'),
          new: choiceMember(['allow', 'withhold'], 'Parts that were never seen. allow.'),
        },
        ['file'],
      ),
    ],
    description: 'The file that pins what upstreams offer (mcp.lock). What changed is withheld.',
  },
  audit: objectMember<FileEntry<'audit'>>(
    'The tamper-evident audit log.',
    {
      file: textMember('Where it is written.'),
      arguments: flagMember('Writes arguments down, without what looks like a secret. false: their digest.'),
      mask: textsMember('Values to leave out, such as arguments.password.'),
      onFailure: choiceMember(['deny', 'count'], 'What happens to a request whose record cannot be written. deny.'),
    },
    ['file'],
  ),
  drain: objectMember<FileEntry<'drain'>>('How it stops.', {
    settleMs: { type: 'integer', minimum: 0, description: 'From not ready to no new calls. 5,000.' },
    drainMs: countMember('For running calls. 25,000.'),
  }),
};

export const gatewaySchema: FileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...objectMember<GatewayFile>('The configuration of `mooring gateway`.', members),
};
