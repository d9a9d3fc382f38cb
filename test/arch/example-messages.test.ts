/** Example messages match the official schemas, and our readers accept them. */
import { expect, test } from 'vitest';
import { readFormRequest, readUrlRequest } from '../../src/client/elicitation.ts';
import { readSampleRequest } from '../../src/client/sampling.ts';
import type { JsonObject, Message } from '../../src/jsonrpc/message.ts';
import { faultOf } from '../../src/jsonrpc/read.ts';
import { answerFault } from '../../src/revisions/asks/question.ts';
import { retry } from '../../src/revisions/asks/strategies.ts';
import {
  decodeCall,
  decodeCompletion,
  decodePrompt,
  decodeRead,
  readContent,
  readContents,
} from '../../src/revisions/decode.ts';
import { decodePage, type ListName, lists } from '../../src/revisions/decode-lists.ts';
import { revisions } from '../../src/revisions/index.ts';
import { EXAMPLES, FAILURES } from '../support/example-messages.ts';
import { officialSchema } from '../support/official-schema.ts';

const [newest] = revisions;
const warn = (what: string): never => {
  throw new Error(what);
};

/** Reads an example; throws or returns undefined if it is not understood. */
type Reader = (example: JsonObject) => unknown;

const page =
  (kind: ListName): Reader =>
  (result) =>
    decodePage<unknown>(lists[kind], result, warn).items.length > 0 || undefined;
const completed = (faultIn: string | undefined): true | undefined => (faultIn === undefined ? true : undefined);
const answer =
  (method: Parameters<typeof answerFault>[0]): Reader =>
  (value) =>
    completed(answerFault(method, value));
const field: Reader = (value) =>
  readFormRequest({ message: '', requestedSchema: { type: 'object', properties: { value } } });

/** Readers of results, params and their parts, by definition name. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    AudioContent: readContent,
    BlobResourceContents: readContents,
    BooleanSchema: field,
    CallToolResult: (result) => decodeCall(result, warn),
    CompleteResult: decodeCompletion,
    CreateMessageRequestParams: (value) => readSampleRequest(value, true),
    CreateMessageResult: answer('sampling/createMessage'),
    ElicitRequestFormParams: readFormRequest,
    ElicitRequestURLParams: (value) => readUrlRequest(value, Promise.resolve()),
    ElicitResult: answer('elicitation/create'),
    EmbeddedResource: readContent,
    GetPromptResult: (result) => decodePrompt(result, warn),
    ImageContent: readContent,
    InputRequiredResult: (result) => retry.inputRequests(result),
    ListPromptsResult: page('prompts'),
    ListResourceTemplatesResult: page('templates'),
    ListResourcesResult: page('resources'),
    ListRootsResult: answer('roots/list'),
    ListToolsResult: page('tools'),
    NumberSchema: field,
    ReadResourceResult: (result) => decodeRead(result, warn),
    Resource: lists.resources.read,
    ResourceLink: readContent,
    StringSchema: field,
    TextContent: readContent,
    TextResourceContents: readContents,
    TitledMultiSelectEnumSchema: field,
    TitledSingleSelectEnumSchema: field,
    Tool: lists.tools.read,
    UntitledMultiSelectEnumSchema: field,
    UntitledSingleSelectEnumSchema: field,
  }),
);

/** Requests and notifications are read by method. */
function readerFor(name: string): Reader | undefined {
  return (
    readers.get(name) ?? (name.endsWith('Request') ? request : name.endsWith('Notification') ? notified : undefined)
  );
}

function request({ method, params: given }: JsonObject): unknown {
  const asked = newest?.methods.requests.get(String(method));
  if (asked !== undefined) return completed(asked.params(given, 'params'));
  return newest?.methods.questions.has(String(method)) === true ? true : undefined;
}

const notified: Reader = ({ method }) =>
  newest?.methods.notifications.has(String(method)) === true ? true : undefined;

const official = officialSchema('2026-07-28');
const examples = Object.entries(EXAMPLES).flatMap(([name, some]) =>
  some.map((example, index): [string, number, JsonObject] => [name, index + 1, example]),
);

test.each(examples)('an example of %s, number %i, matches the official shape and is read', (name, _index, example) => {
  expect(official.faults(name, example)).toEqual([]);
  expect(readerFor(name)?.(example)).toBeDefined();
});

test('every shape that is read has an example', () => {
  expect([...readers.keys()].filter((name) => !(name in EXAMPLES))).toEqual([]);
});

test.each(examples)('an example of %s, number %i, with an unknown member is a fault', (name, _index, example) => {
  expect(official.faults(name, { ...example, barnacle: 1 })).not.toEqual([]);
});

test.each(FAILURES)('error $code matches the official shape and is read', (error) => {
  const message = { jsonrpc: '2.0', id: 1, error } as unknown as Message; // the table has code and message
  expect(official.faultsOf({ side: '<', message, answers: 'tools/call' })).toEqual([]);
  expect(faultOf({ jsonrpc: '2.0', id: 1, error })).toBeUndefined();
});

test.each([-32021, -32022])('error %i without its data is a fault', (code) => {
  const message = { jsonrpc: '2.0', id: 1, error: { code, message: 'x', data: {} } } as unknown as Message; // invalid on purpose
  expect(official.faultsOf({ side: '<', message, answers: 'tools/call' })).not.toEqual([]);
});
