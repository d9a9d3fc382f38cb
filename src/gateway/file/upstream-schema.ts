/** The JSON Schema of one upstream. */
import type { UpstreamQuestions } from '../contract.ts';
import type { CircuitSpec, UpstreamLimits, UpstreamTimeouts, UpstreamTrust } from '../spec.ts';
import {
  choiceMember,
  countMember,
  type FileSchema,
  flagMember,
  objectMember,
  oneOfMembers,
  recordMember,
  textMember,
  textsMember,
  urlMember,
} from './file-schema.ts';
import type { ClientEntry, UpstreamAuthEntry, UpstreamEntry } from './gateway-file.ts';

type AuthKind<K extends keyof UpstreamAuthEntry> = NonNullable<UpstreamAuthEntry[K]>;

const scopes = textsMember('Scopes to request.');

const client = objectMember<ClientEntry>(
  'The client that is registered with the authorization server.',
  {
    id: textMember('Its client id.'),
    secret: textMember('Its secret, named by a placeholder.'),
    issuer: urlMember('The authorization server that it is registered with. It is used with no other.'),
  },
  ['id'],
);

const exchange = objectMember<AuthKind<'exchange'>>(
  "A token for this upstream, exchanged for the caller's at a token endpoint (RFC 8693).",
  {
    endpoint: urlMember('The token endpoint.'),
    audience: textMember('Whom the token is for. The URL of the upstream is its resource in any case.'),
    client,
    scopes,
  },
  ['endpoint', 'client'],
);

const enterpriseManaged = objectMember<AuthKind<'enterpriseManaged'>>(
  "A token that the company's identity provider decides about (ID-JAG).",
  {
    idp: objectMember<AuthKind<'enterpriseManaged'>['idp']>(
      'The identity provider.',
      {
        issuer: urlMember('Its metadata names the token endpoint.'),
        tokenEndpoint: urlMember('Its token endpoint.'),
        client,
      },
      ['client'],
    ),
    client,
    scopes,
  },
  ['idp', 'client'],
);

const auth = oneOfMembers(
  objectMember<UpstreamAuthEntry>('What is sent to the upstream; credentials of a caller never are.', {
    static: objectMember<AuthKind<'static'>>(
      'Header fields with a secret of yours.',
      { headers: recordMember({ type: 'string' }, 'By name; secrets are named by placeholders.') },
      ['headers'],
    ),
    clientCredentials: objectMember<AuthKind<'clientCredentials'>>('A token of the gateway.', { client, scopes }, [
      'client',
    ]),
    exchange,
    enterpriseManaged,
  }),
);

const timeouts = objectMember<UpstreamTimeouts>('Timeouts, in milliseconds.', {
  connectMs: countMember('To open a connection. 10,000.'),
  callMs: countMember('For a call without progress. 60,000.'),
  maxCallMs: countMember('For a call in all. 1,800,000.'),
  listMs: countMember('For a whole list. 3,000.'),
  questionMs: countMember('For the answer to a question. 300,000.'),
});

const limits = objectMember<UpstreamLimits>('Bounds.', {
  clients: countMember('Conversations in all. 1,000.'),
  clientsPerPrincipal: countMember('Conversations for one caller. 4.'),
  calls: countMember('Calls at a time. 256.'),
  queue: countMember('Calls that can wait. 512.'),
  queueMs: countMember('How long a call can wait. 2,000.'),
  waitingCalls: countMember('Calls that wait for an answer while no request of their callers is open. 100.'),
});

const circuit: FileSchema = {
  anyOf: [
    objectMember<CircuitSpec>('When the circuit opens, and for how long.', {
      failures: countMember('Failures within the window. 5.'),
      windowMs: countMember('10,000.'),
      openMs: countMember('15,000.'),
    }),
    { enum: [false] },
  ],
  description: 'Stops calls to an upstream that fails; false switches it off.',
};

const questions = objectMember<UpstreamQuestions>('What the upstream can ask callers.', {
  form: flagMember('Forms. true.'),
  sample: flagMember("Messages of the caller's model. true."),
  roots: flagMember('Folders that the user opened. true.'),
  prefix: flagMember('Questions begin with the label. true.'),
  visit: objectMember<NonNullable<UpstreamQuestions['visit']>>(
    'Web pages. Without this member none are passed on.',
    { hosts: textsMember('Hosts; *.example.com stands for those below.') },
    ['hosts'],
  ),
});

const trust = objectMember<UpstreamTrust>('What of the upstream is believed.', {
  annotations: flagMember('Its annotations of tools, for rules.'),
  instructions: flagMember('Its instructions are passed on.'),
  cache: choiceMember(['public', 'private'], 'Whether its lists are the same for all callers.'),
});

export const upstreamSchema: FileSchema = objectMember<UpstreamEntry>(
  'One server behind the gateway: at a URL, or started by a command.',
  {
    url: urlMember('Where it is. Placeholders can fill path and query, not scheme, host or port.'),
    headers: recordMember({ type: 'string' }, 'Header fields that are sent with each request.'),
    command: textMember('The program that is started.'),
    args: textsMember('Its arguments.'),
    env: recordMember({ type: 'string' }, 'Environment variables that it gets.'),
    cwd: textMember('The folder that it runs in.'),
    auth,
    isolate: choiceMember(['shared', 'principal', 'session', 'call'], 'Who shares a conversation with it.'),
    revisions: textsMember('The revisions that are negotiated.'),
    timeouts,
    limits,
    idleMs: countMember('After how long an unused conversation is closed. 300,000.'),
    circuit,
    questions,
    trust,
  },
);
