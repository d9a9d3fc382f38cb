/** Example messages of 2026-07-28, by the name of their definition: minimal, and with all members. */
import type { JsonObject } from '../../src/jsonrpc/message.ts';

const _meta: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'lighthouse', version: '3.1' },
};
const complete: JsonObject = { resultType: 'complete' };
const cached: JsonObject = { ...complete, ttlMs: 60_000, cacheScope: 'public' };
const annotations: JsonObject = { audience: ['user'], priority: 0.5, lastModified: '2026-05-01T08:00:00Z' };
const icons = [{ src: 'https://example.com/buoy.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const text: JsonObject = { type: 'text', text: 'high tide at noon' };
const picture: JsonObject = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
const page: JsonObject = { uri: 'tide://today', mimeType: 'text/plain', text: 'low' };
const bytes: JsonObject = { uri: 'tide://chart', mimeType: 'image/png', blob: 'aGk=' };
const input: JsonObject = { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] };
const tool: JsonObject = { name: 'tide', inputSchema: input };
const resource: JsonObject = { uri: 'tide://today', name: 'today' };
const form: JsonObject = {
  mode: 'form',
  message: 'Which berth?',
  requestedSchema: { type: 'object', properties: { berth: { type: 'integer', minimum: 1 } }, required: ['berth'] },
};
const visit: JsonObject = {
  mode: 'url',
  message: 'Please sign',
  url: 'https://example.com/sign',
};
const sample: JsonObject = { messages: [{ role: 'user', content: text }], maxTokens: 100 };

export const EXAMPLES: Readonly<Record<string, readonly JsonObject[]>> = {
  TextContent: [text, { ...text, annotations, _meta: { 'com.example/a': 1 } }],
  ImageContent: [picture, { ...picture, annotations }],
  AudioContent: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }],
  ResourceLink: [
    { type: 'resource_link', ...resource },
    {
      type: 'resource_link',
      ...resource,
      title: 'Today',
      description: 'Tides',
      mimeType: 'text/plain',
      size: 12,
      icons,
    },
  ],
  EmbeddedResource: [
    { type: 'resource', resource: page },
    { type: 'resource', resource: bytes, annotations },
  ],
  TextResourceContents: [page, { uri: 'tide://today', text: '' }],
  BlobResourceContents: [bytes],
  Resource: [
    resource,
    { ...resource, title: 'Today', description: 'Tides', mimeType: 'text/plain', size: 12, annotations, icons },
  ],
  Tool: [
    tool,
    {
      ...tool,
      title: 'Tide',
      description: 'When the water is high',
      outputSchema: { type: 'object', properties: { metres: { type: 'number' } } },
      annotations: {
        title: 'Tide',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      icons,
    },
  ],
  ListToolsResult: [
    { ...cached, tools: [tool] },
    { ...cached, tools: [tool], nextCursor: 'more' },
  ],
  ListResourcesResult: [{ ...cached, resources: [resource] }],
  ListResourceTemplatesResult: [{ ...cached, resourceTemplates: [{ uriTemplate: 'tide://{day}', name: 'day' }] }],
  ListPromptsResult: [
    { ...cached, prompts: [{ name: 'plan' }] },
    {
      ...cached,
      prompts: [{ name: 'plan', title: 'Plan', arguments: [{ name: 'day', title: 'Day', required: true }] }],
    },
  ],
  ReadResourceResult: [{ ...cached, contents: [page, bytes] }],
  GetPromptResult: [
    { ...complete, messages: [{ role: 'user', content: text }] },
    { ...complete, description: 'A plan', messages: [] },
  ],
  CallToolResult: [
    { ...complete, content: [text, picture] },
    { ...complete, content: [], isError: true },
    { ...complete, content: [text], structuredContent: { metres: 3.2 } },
    { ...complete, content: [text], structuredContent: [1, 2] },
  ],
  CompleteResult: [{ ...complete, completion: { values: ['north', 'south'], total: 2, hasMore: false } }],
  InputRequiredResult: [
    { resultType: 'input_required', inputRequests: { berth: { method: 'elicitation/create', params: form } } },
    { resultType: 'input_required', requestState: 'sealed' },
  ],
  ElicitRequestFormParams: [form],
  ElicitRequestURLParams: [visit],
  ElicitResult: [{ action: 'accept', content: { berth: 4 } }, { action: 'decline' }, { action: 'cancel' }],
  CreateMessageRequestParams: [
    sample,
    {
      ...sample,
      systemPrompt: 'Be brief',
      temperature: 0.2,
      stopSequences: ['.'],
      modelPreferences: { hints: [{ name: 'small' }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
      tools: [tool],
      toolChoice: { mode: 'auto' },
    },
  ],
  CreateMessageResult: [
    { role: 'assistant', content: text, model: 'm', stopReason: 'endTurn' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'u', name: 'tide', input: {} }],
      model: 'm',
      stopReason: 'toolUse',
    },
  ],
  ListRootsResult: [{ roots: [{ uri: 'file:///harbour', name: 'harbour' }] }, { roots: [] }],
  BooleanSchema: [{ type: 'boolean', title: 'Sure?', default: false }],
  NumberSchema: [
    { type: 'number', minimum: 0.5, maximum: 2 },
    { type: 'integer', default: 1 },
  ],
  StringSchema: [{ type: 'string', minLength: 1, maxLength: 9, format: 'email' }],
  UntitledSingleSelectEnumSchema: [{ type: 'string', enum: ['north', 'south'], default: 'north' }],
  TitledSingleSelectEnumSchema: [{ type: 'string', oneOf: [{ const: 'n', title: 'North' }] }],
  UntitledMultiSelectEnumSchema: [
    { type: 'array', items: { type: 'string', enum: ['n', 's'] }, minItems: 1, maxItems: 2 },
  ],
  TitledMultiSelectEnumSchema: [{ type: 'array', items: { anyOf: [{ const: 'n', title: 'North' }] }, default: ['n'] }],
  CallToolRequest: [
    { method: 'tools/call', params: { _meta, name: 'tide' } },
    { method: 'tools/call', params: { _meta, name: 'tide', arguments: { harbour: 'north' } } },
    {
      method: 'tools/call',
      params: {
        _meta,
        name: 'tide',
        inputResponses: { berth: { action: 'accept', content: { berth: 4 } } },
        requestState: 'sealed',
      },
    },
  ],
  ListToolsRequest: [
    { method: 'tools/list', params: { _meta } },
    { method: 'tools/list', params: { _meta, cursor: 'more' } },
  ],
  ListPromptsRequest: [{ method: 'prompts/list', params: { _meta } }],
  ListResourcesRequest: [{ method: 'resources/list', params: { _meta } }],
  ListResourceTemplatesRequest: [{ method: 'resources/templates/list', params: { _meta } }],
  GetPromptRequest: [{ method: 'prompts/get', params: { _meta, name: 'plan', arguments: { day: 'today' } } }],
  ReadResourceRequest: [{ method: 'resources/read', params: { _meta, uri: 'tide://today' } }],
  CompleteRequest: [
    {
      method: 'completion/complete',
      params: { _meta, ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'day', value: 't' } },
    },
    {
      method: 'completion/complete',
      params: {
        _meta,
        ref: { type: 'ref/resource', uri: 'tide://{day}' },
        argument: { name: 'day', value: '' },
        context: { arguments: { year: '2026' } },
      },
    },
  ],
  DiscoverRequest: [{ method: 'server/discover', params: { _meta } }],
  SubscriptionsListenRequest: [
    {
      method: 'subscriptions/listen',
      params: { _meta, notifications: { toolsListChanged: true, resourceSubscriptions: ['tide://today'] } },
    },
  ],
  CancelledNotification: [{ method: 'notifications/cancelled', params: { requestId: 7, reason: 'too late' } }],
  ProgressNotification: [
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 3, message: 'one' } },
  ],
  LoggingMessageNotification: [
    { method: 'notifications/message', params: { level: 'warning', logger: 'tide', data: { high: true } } },
  ],
  ResourceUpdatedNotification: [{ method: 'notifications/resources/updated', params: { uri: 'tide://today' } }],
  ToolListChangedNotification: [{ method: 'notifications/tools/list_changed' }],
  PromptListChangedNotification: [{ method: 'notifications/prompts/list_changed' }],
  ResourceListChangedNotification: [{ method: 'notifications/resources/list_changed' }],
};

/** Errors whose data has its own schema. */
export const FAILURES: readonly JsonObject[] = [
  { code: -32020, message: 'The header says another method' },
  { code: -32021, message: 'Sampling is needed', data: { requiredCapabilities: { sampling: {} } } },
  { code: -32022, message: 'Not spoken here', data: { requested: '2031-01-01', supported: ['2026-07-28'] } },
  { code: -32602, message: 'Wrong arguments', data: { any: 'thing' } },
  { code: -32700, message: 'No JSON' },
];
