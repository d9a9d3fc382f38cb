/** Renders the catalogue of a chat: for each server, its items with signature, effect and description. */
import type { Host, ManagedServer, Session } from '../../host/index.ts';
import type { ToolAnnotations } from '../../model/parts.ts';
import { printable, printableLines } from '../../model/printable.ts';
import { widthOf } from '../../terminal/wrap-line.ts';
import { padTo } from '../columns.ts';
import type { Printer } from '../printer.ts';
import { promptSignature, toolSignature } from '../signature/item-lines.ts';
import { shorten } from './shorten.ts';

export interface OfferedItem {
  readonly server: string;
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  readonly name: string;
  /** Signature: `shop.refund(order, days?)`. */
  readonly call: string;
  /** Effect of a tool, from its annotations: `reads`, `writes`, `destroys` or empty. */
  readonly says: string;
  readonly about: string;
  readonly warnings: readonly string[];
}

export async function listCatalogue({ catalogue }: Session): Promise<readonly OfferedItem[]> {
  const [tools, resources, templates, prompts] = await Promise.all([
    catalogue.tools(),
    catalogue.resources(),
    catalogue.templates(),
    catalogue.prompts(),
  ]);
  return [
    ...tools.map(({ server, name, description, inputSchema, definition, warnings, title }) => ({
      ...{ server, name, warnings, kind: 'tool' as const },
      ...{
        call: toolSignature(name, inputSchema),
        says: effectOf(definition.annotations),
        about: description || title,
      },
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

function effectOf({ readOnlyHint, destructiveHint }: ToolAnnotations = {}): string {
  if (readOnlyHint === true) return 'reads';
  if (destructiveHint === false) return 'writes';
  return destructiveHint === true ? 'destroys' : '';
}

/** Name, version, address and revision of a connected server; otherwise its state and failure. */
export async function serverText(server: ManagedServer): Promise<string> {
  if (server.state !== 'ready')
    return `${server.state}${server.failure === undefined ? '' : `: ${printableLines(server.failure.message)}`}`;
  const { info, revision } = (await server.connect()).server;
  const name = info === undefined ? 'unnamed server' : `${info.title ?? info.name} ${info.version}`;
  return `${printable(name)} · ${shorten(server.address, 60)} · ${revision}`;
}

/** All items, under a heading for each server. */
export async function catalogueLines(
  host: Host,
  offered: readonly OfferedItem[],
  { print, columns }: { readonly print: Printer; readonly columns: number },
): Promise<readonly string[]> {
  const longest = offered.reduce((most, { call }) => Math.max(most, widthOf(printable(call))), 0);
  const width = Math.min(longest, Math.floor((columns - MARGIN) / 2));
  const lines: string[] = [];
  for (const [label, server] of host.servers) {
    // The reason of a failure is listed among the problems.
    const about = server.state === 'ready' ? await serverText(server) : server.state;
    lines.push('', `${print.style('bold', label)}  ${print.style('dim', shorten(about, columns - label.length - 2))}`);
    for (const one of offered) if (one.server === label) lines.push(...offeredLines(one, print, columns, width));
  }
  return lines;
}

/** Columns before a signature: indentation, badge and gap. */
const MARGIN = 12;
/** A description that would be cut shorter is left out. */
const SHORTEST_ABOUT = 16;
const colors = { reads: 'green', writes: 'yellow', destroys: 'red' } as const;

function offeredLines(
  { kind, call, says, about, warnings }: OfferedItem,
  print: Printer,
  columns: number,
  width: number,
): readonly string[] {
  const badge = kind === 'tool' ? says : kind;
  const color = says === 'reads' || says === 'writes' || says === 'destroys' ? colors[says] : 'dim';
  const callText = padTo(shorten(call, columns - MARGIN), width);
  const room = columns - MARGIN - widthOf(callText) - 2;
  const text = room < SHORTEST_ABOUT ? '' : shorten(about, room);
  const line = `  ${print.style(color, badge.padEnd(8))}  ${callText}  ${text}`;
  return [line.trimEnd(), ...warnings.map((warning) => `    ${print.style('yellow', `! ${shorten(warning)}`)}`)];
}
