/** The catalogue of a chat as a person reads it: server by server, what can be called, and what it does as far as the server says. */
import type { Host, ManagedServer, Session } from '../../host/index.ts';
import type { ToolAnnotations } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import type { Printer } from '../printer.ts';
import { promptSignature, toolSignature } from '../signature/item-lines.ts';
import { shorten } from './shorten.ts';

export interface OfferedItem {
  readonly server: string;
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly name: string;
  /** As it would be called. */
  readonly call: string;
  /** What it does to the world, as the server says; of a tool. */
  readonly says: string;
  readonly about: string;
  readonly warnings: readonly string[];
}

export async function offeredIn({ catalogue }: Session): Promise<readonly OfferedItem[]> {
  const [tools, resources, templates, prompts] = await Promise.all([
    catalogue.tools(),
    catalogue.resources(),
    catalogue.templates(),
    catalogue.prompts(),
  ]);
  return [
    ...tools.map(({ server, name, description, inputSchema, definition, warnings, title }) => ({
      ...{ server, name, warnings, kind: 'tool' as const },
      ...{ call: toolSignature(name, inputSchema), says: saysOf(definition.annotations), about: description || title },
    })),
    ...resources.map(({ server, title, definition: { uri, description } }) => ({
      ...{ server, name: uri, call: uri, kind: 'resource' as const, says: '', warnings: [] },
      about: description ?? title,
    })),
    ...templates.map(({ server, title, warnings, definition: { uriTemplate: name, description } }) => ({
      ...{ server, name, call: name, kind: 'template' as const, says: '', warnings },
      about: description ?? (title === name ? '' : title),
    })),
    ...prompts.map(({ server, name, title, warnings, definition }) => ({
      ...{ server, name, kind: 'prompt' as const, says: '', warnings },
      ...{ call: promptSignature(name, definition), about: definition.description ?? title },
    })),
  ];
}

function saysOf({ readOnlyHint, destructiveHint }: ToolAnnotations = {}): string {
  if (readOnlyHint === true) return 'reads';
  if (destructiveHint === false) return 'writes';
  return destructiveHint === true ? 'destroys' : '';
}

/** Who it is, under the label that the host gave it. */
export async function serverText(server: ManagedServer): Promise<string> {
  if (server.state !== 'ready')
    return `${server.state}${server.failure === undefined ? '' : `: ${printable(server.failure.message)}`}`;
  const { info, revision } = (await server.connect()).server;
  const name = info === undefined ? 'without a name' : `${info.title ?? info.name} ${info.version}`;
  return `${printable(name)} · ${shorten(server.address, 60)} · ${revision}`;
}

/** Everything, a heading for each server. */
export async function catalogueLines(
  host: Host,
  offered: readonly OfferedItem[],
  { print, columns }: { readonly print: Printer; readonly columns: number },
): Promise<readonly string[]> {
  const longest = Math.max(0, ...offered.map(({ call }) => printable(call).length));
  const width = Math.min(longest, Math.floor((columns - MARGIN) / 2));
  const lines: string[] = [];
  for (const [label, server] of host.servers) {
    // Why it failed is among the problems.
    const about = server.state === 'ready' ? await serverText(server) : server.state;
    lines.push('', `${print.style('bold', label)}  ${print.style('dim', shorten(about, columns - label.length - 2))}`);
    for (const one of offered) if (one.server === label) lines.push(...offeredLines(one, print, columns, width));
  }
  return lines;
}

/** Before a call: two spaces, what it does to the world, two spaces. */
const MARGIN = 12;
/** Less of a description says nothing. */
const SHORTEST_ABOUT = 16;
const colours = { reads: 'green', writes: 'yellow', destroys: 'red' } as const;

function offeredLines(
  { kind, call, says, about, warnings }: OfferedItem,
  print: Printer,
  columns: number,
  width: number,
): readonly string[] {
  const badge = kind === 'tool' ? says : kind;
  const colour = says === 'reads' || says === 'writes' || says === 'destroys' ? colours[says] : 'dim';
  const callText = shorten(call, columns - MARGIN).padEnd(width);
  const room = columns - MARGIN - callText.length - 2;
  const text = room < SHORTEST_ABOUT ? '' : shorten(about, room);
  const line = `  ${print.style(colour, badge.padEnd(8))}  ${callText}  ${text}`;
  return [line.trimEnd(), ...warnings.map((warning) => `    ${print.style('yellow', `! ${shorten(warning)}`)}`)];
}
