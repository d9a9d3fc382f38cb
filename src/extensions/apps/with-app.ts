/** `withApp(tool, app)`: links a tool to the app in which a host shows its result. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { isFlatBlock } from '../../model/content.ts';
import { type DefinedTool, openPart, type ResourcePart, type ToolPart } from '../../server/part.ts';
import { canShowApps } from './app.ts';
import { APP_MIME_TYPE } from './apps-names.ts';

/** Settings of `withApp`. */
export interface WithAppOptions {
  /** Who can call the tool: the model, or only the app. Default: both. */
  readonly for?: 'model' | 'app';
  /** Called once if a result has no text for hosts without apps. Default: prints to standard error. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * Returns the tool with a link to the app. With `for: 'app'`, clients that do not support apps do not see the tool in the list, because
 * their models would call it. This is no access control: any client can still call the tool.
 */
export function withApp<T extends ToolPart>(tool: T, app: ResourcePart, options: WithAppOptions = {}): T {
  const { name, definition, ...rest } = openPart(tool);
  const { uri, mimeType } = openPart(app);
  const what = `tool "${name}"`;
  if (mimeType !== APP_MIME_TYPE) throw badDefinition(what, `"${uri}" is not an app; make it with app()`);
  const audience = options.for;
  if (audience !== undefined && audience !== 'model' && audience !== 'app')
    throw badDefinition(what, '"for" must be "model" or "app"');
  const warn = options.onWarning ?? ((warning: string) => console.error(`mooring: ${warning}`));
  const ui = { resourceUri: uri, ...(audience === undefined ? {} : { visibility: [audience] }) };
  const made: DefinedTool = {
    ...rest,
    name,
    definition: { ...definition, _meta: { ...definition._meta, ui } },
    run: audience === 'app' ? rest.run : runAndWarn(rest, () => warn(noText(name))),
    verify(resources) {
      if (!resources.has(uri))
        throw badDefinition(what, `its app "${uri}" is missing; add it to the parts of the server`);
    },
    ...(audience === 'app' ? { isListedFor: ({ capabilities }) => canShowApps(capabilities) } : {}),
  };
  return made as DefinedTool & T; // the same kind, name and types
}

const noText = (name: string): string =>
  `Tool "${name}" has an app and returned no text. Return text too: hosts without apps and models read nothing else`;

/** Wraps `run` to warn once about a result without text. */
function runAndWarn(tool: Pick<DefinedTool, 'run' | 'output'>, warn: () => void): DefinedTool['run'] {
  let hasWarned = false;
  return async (input, context) => {
    const value = await tool.run(input, context);
    if (!hasWarned && ownBlocks(value, tool.output !== undefined)?.some(isText) === false) {
      hasWarned = true;
      warn();
    }
    return value;
  };
}

/** The content blocks that a tool returned. Undefined for data, which the server converts to text. */
function ownBlocks(value: unknown, hasOutput: boolean): readonly unknown[] | undefined {
  const isReply = isObject(value) && Array.isArray(value['content']) && (!hasOutput || 'data' in value);
  if (isReply) return value['content'] as readonly unknown[]; // as just seen
  if (hasOutput) return undefined;
  if (value === undefined) return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (Array.isArray(value)) return value;
  return isObject(value) && isFlatBlock(value) ? [value] : undefined;
}

const isText = (block: unknown): boolean =>
  isObject(block) && block['type'] === 'text' && String(block['text'] ?? '').trim() !== '';
