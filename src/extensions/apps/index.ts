/** The entry point `mooring/apps`: pages that hosts show beside the results of tools. */
export type { ResourcePart, ToolPart } from '../../server/part.ts';
export { type AppSpec, app } from './app.ts';
export type { ViewPermission, ViewSettings } from './view-policy.ts';
export { type WithAppOptions, withApp } from './with-app.ts';
