/** The code blocks of a page, in order, with their markers. */
import { type Marker, parseMarker } from './marker.ts';

export interface Block {
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly tag: string;
  readonly text: string;
  readonly markers: readonly Marker[];
}

export interface Page {
  readonly path: string;
  /** The page whose files this one begins with. */
  readonly continues?: string;
  readonly blocks: readonly Block[];
  /** Errors in its markers, each with its line. */
  readonly problems: readonly string[];
}

const CONTINUES = /^<!-- continues: (.*?) -->$/;

export function parsePage(path: string, source: string): Page {
  const lines = source.split('\n');
  const blocks: Block[] = [];
  const problems: string[] = [];
  let continues: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    continues ??= CONTINUES.exec(lines[at] ?? '')?.[1];
    const fence = /^(\s*)(`{3,})(\w*)/.exec(lines[at] ?? '');
    if (fence === null) continue;
    const [, indent = '', ticks = '', tag = ''] = fence;
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks);
    if (end === -1) {
      problems.push(`${path}:${at + 1}: the block has no end`);
      break;
    }
    const inside = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    try {
      const markers = markersAbove(lines, at);
      blocks.push({ line: at + 1, tag, text: inside.map((line) => `${line}\n`).join(''), markers });
      problems.push(...misplaced(tag, markers).map((problem) => `${path}:${at + 1}: ${problem}`));
    } catch (thrown) {
      problems.push(`${path}:${at + 1}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    at = end;
  }
  return { path, blocks, problems, ...(continues === undefined ? {} : { continues }) };
}

function markersAbove(lines: readonly string[], fence: number): Marker[] {
  const markers: Marker[] = [];
  for (let at = fence - 1; at >= 0; at--) {
    const [, comment] = /^\s*<!-- (.*?) -->$/.exec(lines[at] ?? '') ?? [];
    if (comment === undefined || CONTINUES.test(lines[at] ?? '')) break;
    markers.unshift(parseMarker(comment));
  }
  return markers;
}

function misplaced(tag: string, markers: readonly Marker[]): string[] {
  const kinds = markers.map(({ kind }) => kind);
  const alone = kinds.filter((kind) => kind !== 'from');
  if (kinds.length === 0) return ['the block has no marker'];
  if (alone.length > 1) return [`the block has the markers ${alone.join(' and ')}; one is enough`];
  if (kinds.includes('run') && tag !== 'sh') return ['a run block is sh'];
  if (kinds.includes('output') && tag !== 'text') return ['an output block is text'];
  return [];
}

/** Replaces the text of some blocks, given by the line of their fence. */
export function withTexts(source: string, texts: ReadonlyMap<number, string>): string {
  const lines = source.split('\n');
  for (const [fence, text] of [...texts].sort(([a], [b]) => b - a)) {
    const [, ticks = '```'] = /(`{3,})/.exec(lines[fence - 1] ?? '') ?? [];
    const end = lines.findIndex((line, index) => index >= fence && line.trim() === ticks);
    lines.splice(fence, end - fence, ...text.trimEnd().split('\n'));
  }
  return lines.join('\n');
}
