/** Every example message of the specification is read by our shapes, wherever we have one for it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formRequest, urlRequest } from '../../src/client/elicitation.ts';
import { sampleRequest } from '../../src/client/sampling.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { faultOf } from '../../src/jsonrpc/read.ts';
import { answerFault } from '../../src/revisions/asks/answer.ts';
import { retry } from '../../src/revisions/asks/retry.ts';
import { decodeCall, decodeCompletion, decodePrompt, decodeRead } from '../../src/revisions/decode.ts';
import { readContent, readContents } from '../../src/revisions/decode-content.ts';
import { decodePage, type Kind, lists } from '../../src/revisions/decode-lists.ts';
import { revisions } from '../../src/revisions/index.ts';
import { examplesFolder, officialSchema } from '../support/official-schema.ts';

const [newest] = revisions;
const warn = (what: string): never => {
  throw new Error(what);
};

/** Reads an example; throws, or gives undefined, where we do not understand it. */
type Reader = (example: JsonObject) => unknown;

const page =
  (kind: Kind): Reader =>
  (result) =>
    decodePage<unknown>(lists[kind], result, warn).items.length > 0 || undefined;
const completed = (faultIn: string | undefined): true | undefined => (faultIn === undefined ? true : undefined);
const params =
  (method: string): Reader =>
  (value) =>
    completed(newest?.methods.requests.get(method)?.params(value, 'params'));
const answer =
  (method: Parameters<typeof answerFault>[0]): Reader =>
  (value) =>
    completed(answerFault(method, value));
const field: Reader = (value) =>
  formRequest({ message: '', requestedSchema: { type: 'object', properties: { value } } });

/** Results, params and parts of them, by the name that the specification has for them. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    AudioContent: readContent,
    BlobResourceContents: readContents,
    BooleanSchema: field,
    CallToolRequestParams: params('tools/call'),
    CallToolResult: (result) => decodeCall(result, warn),
    CompleteRequestParams: params('completion/complete'),
    CompleteResult: decodeCompletion,
    CreateMessageRequestParams: (value) => sampleRequest(value, true),
    CreateMessageResult: answer('sampling/createMessage'),
    ElicitRequestFormParams: formRequest,
    ElicitRequestURLParams: (value) => urlRequest(value, Promise.resolve()),
    ElicitResult: answer('elicitation/create'),
    EmbeddedResource: readContent,
    GetPromptRequestParams: params('prompts/get'),
    GetPromptResult: (result) => decodePrompt(result, warn),
    ImageContent: readContent,
    InputRequiredResult: (result) => retry.wanted(result),
    ListPromptsResult: page('prompts'),
    ListResourceTemplatesResult: page('templates'),
    ListResourcesResult: page('resources'),
    ListRootsResult: answer('roots/list'),
    ListToolsResult: page('tools'),
    NumberSchema: field,
    PaginatedRequestParams: params('tools/list'),
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

/** A whole message is read by its envelope, and then by what it carries. */
function readerFor(name: string): Reader | undefined {
  const own = readers.get(name);
  if (own !== undefined) return own;
  const result = readers.get(name.replace(/Response$/, ''));
  if (name.endsWith('ResultResponse') && result !== undefined) return ({ result: one }) => result(one as JsonObject); // a response has one
  if (name.endsWith('Request')) return request;
  if (name.endsWith('Notification')) return notified;
  return name.endsWith('Error') ? failed : undefined;
}

function request({ method, params: given }: JsonObject): unknown {
  const asked = newest?.methods.requests.get(String(method));
  if (asked !== undefined) return completed(asked.params(given, 'params'));
  return newest?.methods.questions.has(String(method)) === true ? true : undefined;
}

const notified: Reader = ({ method }) =>
  newest?.methods.notifications.has(String(method)) === true ? true : undefined;

/** Some errors are shown whole, others without their envelope. */
const failed: Reader = (error) => completed(faultOf('jsonrpc' in error ? error : { jsonrpc: '2.0', error }));

/** What nothing of ours reads as such. */
const unread = [
  'CancelledNotificationParams',
  'ClientCapabilities',
  'DiscoverResult',
  'DiscoverResultResponse',
  'InputRequests',
  'InputResponses',
  'LoggingMessageNotificationParams',
  'ModelPreferences',
  'ProgressNotificationParams',
  'ResourceUpdatedNotificationParams',
  'Root',
  'SamplingMessage',
  'ServerCapabilities',
  'SubscriptionsListenResult',
  'SubscriptionsListenResultResponse',
  'ToolResultContent',
  'ToolUseContent',
];

/** Examples that the specification's own schema refuses: an id inside a result, and results that do not say how long they hold. */
const faulty = ['list-roots-request.json', 'read-resource-result-response.json'];

const names = existsSync(examplesFolder) ? readdirSync(examplesFolder) : [];
const examples = names.flatMap((name) =>
  readdirSync(join(examplesFolder, name)).map((file): [string, string, JsonObject] => {
    return [name, file, JSON.parse(readFileSync(join(examplesFolder, name, file), 'utf8'))];
  }),
);

describe.skipIf(examples.length === 0)('the examples of the specification (skipped where they are not at hand)', () => {
  test.each(examples.filter(([name]) => !unread.includes(name)))('%s: %s is read', (name, _file, example) => {
    if ('jsonrpc' in example) expect(faultOf(example)).toBeUndefined();
    expect(readerFor(name)?.(example)).toBeDefined();
  });

  test.each(examples)('%s: %s matches the official schema, as the tests use it', (name, file, example) => {
    const faults = officialSchema('2026-07-28')?.faults(name, example) ?? [];
    expect(faults.length > 0, faults.join('; ')).toBe(faulty.includes(file));
  });
});
