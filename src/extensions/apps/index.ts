/** The entry point `mooring/apps`, for servers: HTML pages that hosts show with the results of tools (MCP Apps). */
export type { ResourcePart, ToolPart } from '../../server/part.ts';
export { type AppSpec, app } from './app.ts';
export type { ViewPermission, ViewSettings } from './view-policy.ts';
export { type WithAppOptions, withApp } from './with-app.ts';
