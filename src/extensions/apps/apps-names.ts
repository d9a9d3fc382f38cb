/** Names that servers, hosts and views of the extension share. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** The only type of resource that is a view. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';
/** The stable text of the extension, which is spoken whatever the other side asks for. It is no revision of the protocol. */
export const APPS_VERSION = '2026-01-26';

/** What the page between host and view and the host say to each other. A view must not speak so. */
export const SANDBOX_PREFIX = 'ui/notifications/sandbox-';
export const PROXY_READY: string = `${SANDBOX_PREFIX}proxy-ready`;
export const RESOURCE_READY: string = `${SANDBOX_PREFIX}resource-ready`;
