/** Names and error codes of the protocol that several rooms use, and the version of this package. */
export const CANCELLED = 'notifications/cancelled';
export const PROGRESS = 'notifications/progress';
export const MESSAGE = 'notifications/message';
export const INITIALIZED = 'notifications/initialized';
export const ROOTS_CHANGED = 'notifications/roots/list_changed';
export const TOOLS_CHANGED = 'notifications/tools/list_changed';
export const PROMPTS_CHANGED = 'notifications/prompts/list_changed';
export const RESOURCES_CHANGED = 'notifications/resources/list_changed';
export const RESOURCE_UPDATED = 'notifications/resources/updated';
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
export const ELICITATION_COMPLETE = 'notifications/elicitation/complete';
export const LISTEN = 'subscriptions/listen';
export const DISCOVER = 'server/discover';

export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** The extension for calls that outlive their request. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** Error codes of the protocol, in addition to those of JSON-RPC. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** Error codes that only peers with stateless requests (without a handshake) return. */
export const statelessCodes: ReadonlySet<number> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION]);

/** The version of this package: the default in `clientInfo`. A test compares it with package.json. */
export const VERSION = '0.1.0';
