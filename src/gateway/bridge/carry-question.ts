/** An upstream's question as its caller can be asked it: declared, labelled, within the allowed hosts, and without secrets. */
import { RpcError } from '../../errors.ts';
import { secretWarnings } from '../../host/questions/secret-fields.ts';
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

/** Of one question, as JSON. */
const MAX_QUESTION_LENGTH = 64 * 1024;

/** Whom a question goes to, and where it comes from. */
export interface QuestionRoute {
  readonly label: string;
  readonly settings: UpstreamQuestions;
  /** What the open request of the caller can be asked, less what the gateway does not carry. */
  readonly capabilities: ClientCapabilities;
  /** The caller's. */
  readonly revision: Revision;
}

/** A question that passed: in the newest words, and as the caller reads it. */
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
  const question = settings.prefix === false ? asked : withLabel(asked, label);
  try {
    const plain = encodeQuestion(revision.vocabulary, question);
    const encoded = method === 'sampling/createMessage' ? withSource(plain, label) : plain;
    return { method: question.method, params: question.params, encoded };
  } catch {
    throw new RpcError(INVALID_PARAMS, `${method}: the parameters are malformed`);
  }
}

/** A method that was not declared is unknown; a mode or a detail of a declared one is a wrong parameter. */
function undeclared({ method }: Question, capabilities: ClientCapabilities): RpcError {
  const name = method.split('/')[0] ?? method;
  return name in capabilities
    ? new RpcError(INVALID_PARAMS, `This client did not declare what ${method} needs`)
    : new RpcError(METHOD_NOT_FOUND, `Method not found: this client did not declare ${name}`);
}

function faultOf({ method, params }: Question, { visit }: UpstreamQuestions): string | undefined {
  if (JSON.stringify(params).length > MAX_QUESTION_LENGTH) return `longer than ${MAX_QUESTION_LENGTH} characters`;
  if (method === 'roots/list') return undefined;
  // Unchecked as yet, and checked by this very function.
  if (method === 'sampling/createMessage') return samplingFault(params as unknown as CreateMessageParams);
  if (typeof params['message'] !== 'string') return '"message" must be a string';
  return params['mode'] === 'url' ? pageFault(params['url'], visit?.hosts ?? []) : formFault(params['requestedSchema']);
}

/** Programs do not agree about the host of a URL that has these: `https://a.example\\@b.example`. */
const ambiguous = /[\\\p{C}\p{Z}]/u;

/** Pages are compared as parsed URLs, by their host alone. */
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
  // The properties are objects, and nothing else of it is looked at.
  return secretWarnings(schema as FormSchema).length === 0
    ? undefined
    : 'a form must not ask for secrets; send the user to a page';
}

/** The caller's client shows the name of the gateway, so the text says which server asks. */
function withLabel(question: Question, label: string): Question {
  const { message } = question.params;
  if (question.method !== 'elicitation/create') return question;
  return { ...question, params: { ...question.params, message: `[${label}] ${printableIndented(String(message))}` } };
}

const withSource = (params: JsonObject, label: string): JsonObject => ({ ...params, _meta: { [FROM]: label } });
