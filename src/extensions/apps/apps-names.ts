/** Names of the MCP Apps extension that servers, hosts and views share. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** The MIME type of a view. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';
/** The version of the extension that we always answer with, whichever version the other side requests. Not a protocol revision. */
export const APPS_VERSION = '2026-01-26';

/** Prefix of messages between the host and the proxy page. Messages of a view with this prefix are dropped. */
export const SANDBOX_PREFIX = 'ui/notifications/sandbox-';
export const PROXY_READY: string = `${SANDBOX_PREFIX}proxy-ready`;
export const RESOURCE_READY: string = `${SANDBOX_PREFIX}resource-ready`;
