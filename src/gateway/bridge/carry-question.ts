/**
 * Validates an upstream's question and encodes it for the caller: declared capability, allowed hosts, no secrets, with the upstream's
 * label.
 */
import { RpcError } from '../../errors.ts';
import { secretFieldWarnings } from '../../host/questions/secret-fields.ts';
import { INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { FormSchema } from '../../model/elicitation.ts';
import { printableIndented } from '../../model/printable.ts';
import { type CreateMessageParams, samplingFault } from '../../model/sampling.ts';
import { missingCapability } from '../../revisions/asks/question.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import { encodeQuestion } from '../../revisions/encode-questions.ts';
import type { UpstreamQuestions } from '../contract.ts';
import { FROM } from '../names/gateway-meta.ts';

/** The size of one question as JSON. */
const MAX_QUESTION_LENGTH = 64 * 1024;

/** The upstream that asks and the caller that is asked. */
export interface QuestionRoute {
  readonly label: string;
  readonly settings: UpstreamQuestions;
  /** What the caller declared, without the capabilities that the gateway does not pass on. */
  readonly capabilities: ClientCapabilities;
  /** The caller's. */
  readonly revision: Revision;
}

/** A validated question: in the newest revision's form, and `encoded` for the caller. */
export interface CarriedQuestion extends Question {
  readonly encoded: JsonObject;
}

const known: ReadonlySet<string> = new Set<Question['method']>([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);

/** Throws the `RpcError` that the upstream gets: −32601 for a method that was not declared, −32602 for anything else. */
export function carryQuestion(
  { method, params }: { readonly method: string; readonly params: JsonObject },
  route: QuestionRoute,
): CarriedQuestion {
  if (!known.has(method)) throw new RpcError(METHOD_NOT_FOUND, `${method} is not a question`);
  const asked: Question = { method: method as Question['method'], params }; // one of the three
  const { label, settings, capabilities, revision } = route;
  if (missingCapability(asked, capabilities, revision.vocabulary) !== undefined) throw undeclared(asked, capabilities);
  const fault = faultOf(asked, settings);
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `${method}: ${fault}`);
  const question = withReadableMessage(asked, settings.prefix === false ? '' : `[${label}] `);
  try {
    const plain = encodeQuestion(revision.vocabulary, question);
    const encoded = method === 'sampling/createMessage' ? withSource(plain, label) : plain;
    return { method: question.method, params: question.params, encoded };
  } catch {
    throw new RpcError(INVALID_PARAMS, `${method}: the parameters are malformed`);
  }
}

/** An undeclared method is unknown; an undeclared mode of a declared method is an invalid parameter. */
function undeclared({ method }: Question, capabilities: ClientCapabilities): RpcError {
  const name = method.split('/')[0] ?? method;
  return name in capabilities
    ? new RpcError(INVALID_PARAMS, `This client did not declare what ${method} needs`)
    : new RpcError(METHOD_NOT_FOUND, `Method not found: this client did not declare ${name}`);
}

function faultOf({ method, params }: Question, { visit }: UpstreamQuestions): string | undefined {
  if (JSON.stringify(params).length > MAX_QUESTION_LENGTH) return `longer than ${MAX_QUESTION_LENGTH} characters`;
  if (method === 'roots/list') return undefined;
  // samplingFault validates the shape.
  if (method === 'sampling/createMessage') return samplingFault(params as unknown as CreateMessageParams);
  if (typeof params['message'] !== 'string') return '"message" must be a string';
  return params['mode'] === 'url' ? pageFault(params['url'], visit?.hosts ?? []) : formFault(params['requestedSchema']);
}

/** URL parsers disagree about the host of a URL with these characters: `https://a.example\\@b.example`. */
const ambiguous = /[\\\p{C}\p{Z}]/u;

/** Compares the parsed host, never the text of the URL. */
function pageFault(url: unknown, hosts: readonly string[]): string | undefined {
  const page = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (page === undefined) return '"url" must be an absolute URL';
  if (ambiguous.test(String(url))) return '"url" must not have backslashes, blanks or control characters';
  if (page.protocol !== 'https:' || page.username !== '' || page.password !== '')
    return '"url" must begin with https: and have no credentials';
  const isAllowed = hosts.some((host) =>
    host.startsWith('*.') ? page.hostname.endsWith(host.slice(1).toLowerCase()) : page.hostname === host.toLowerCase(),
  );
  return isAllowed ? undefined : `pages on ${page.hostname} are not allowed for this server (questions.visit.hosts)`;
}

function formFault(schema: unknown): string | undefined {
  const fields = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(fields) || !Object.values(fields).every(isObject))
    return '"requestedSchema" must be an object schema with properties';
  // secretFieldWarnings reads only the properties, which are objects.
  return secretFieldWarnings(schema as FormSchema).length === 0
    ? undefined
    : 'a form must not ask for secrets; send the user to a page';
}

/** The client shows the gateway's name, so the message has to begin with the upstream that asks. */
function withReadableMessage(question: Question, start: string): Question {
  const { message } = question.params;
  if (question.method !== 'elicitation/create') return question;
  return { ...question, params: { ...question.params, message: start + printableIndented(String(message)) } };
}

const withSource = (params: JsonObject, label: string): JsonObject => ({ ...params, _meta: { [FROM]: label } });
