/** Formats a tool result for a model: escaped, fenced as untrusted text, and truncated to a token limit. */
import type { Content } from '../../model/content.ts';
import type { ModelBlock } from '../models/model.ts';
import { fenceText } from '../text/fence-text.ts';
import { findingSummary, inspect } from '../text/inspect.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { READ_RESULT } from './meta-tools.ts';
import { labelIn } from './names.ts';
import { type SessionResults, wholeAt } from './results.ts';
import { estimateTokens } from './tokens.ts';

/** Maximum text of one result. Longer text is stored for `read_result`. */
const MAX_TOKENS = 5_000;
/** Characters of a longer result that the model gets. */
const PREVIEW = 2_000;
/** Findings that are common in the output of programs. */
const harmless: ReadonlySet<string> = new Set(['long', 'control']);
/** Maximum base64 length of an image or sound. */
const MAX_MEDIA: number = 5 * 1024 * 1024;

/** `from` is the catalogue name of the tool. */
export function forModel(content: readonly Content[], from: string, results: SessionResults): readonly ModelBlock[] {
  const read = content.filter(({ annotations }) => annotations?.audience?.includes('assistant') !== false);
  const texts = read.map(textOf).filter((text) => text !== undefined);
  const media = read.flatMap(mediaOf);
  const hidden = content.length - read.length;
  if (hidden > 0) texts.push(`[${hidden} ${hidden === 1 ? 'part is' : 'parts are'} for the user only]`);
  if (texts.length === 0) return media.length === 0 ? [{ type: 'text', text: '[no content]' }] : media;
  return [{ type: 'text', text: fenceResult(texts.join('\n'), from, results) }, ...media];
}

/** Fences text, after a warning if it is suspicious. Truncates long text, with a note how to read on. */
function fenceResult(text: string, from: string, results: SessionResults): string {
  const clean = escapeUnprintable(text);
  const label = labelIn(from) ?? '';
  if (estimateTokens(clean) <= MAX_TOKENS) return [...warningOf(text), fenceText(label, clean)].join('\n');
  const uri = results.keep(from, clean);
  const preview = clean.slice(0, wholeAt(clean, PREVIEW));
  const how =
    uri === undefined
      ? 'too many to be kept; ask for less'
      : `read on with ${READ_RESULT}, uri ${uri}, offset ${preview.length}`;
  return [...warningOf(text), fenceText(label, preview), `[${clean.length} characters in all; ${how}]`].join('\n');
}

/** A warning about suspicious text. Quotes none of it, because the warning is outside the fence. */
export function warningOf(text: string): readonly string[] {
  const findings = inspect(text).filter(({ strong, oddity }) => strong && !harmless.has(oddity));
  const notes = [...new Set(findings.map((finding) => findingSummary('It', finding)))];
  return notes.length === 0 ? [] : [`[The host warns of the text below. ${notes.join('. ')}.]`];
}

function textOf(block: Content): string | undefined {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[resource: ${block.title ?? block.name}, ${block.uri}]`;
  if (block.type === 'image' || block.type === 'audio')
    return isTooLarge(block) ? `[${block.type} of ${block.data.length} characters left out]` : undefined;
  const { resource } = block;
  return 'text' in resource
    ? resource.text
    : `[resource: ${resource.uri}, ${resource.mimeType ?? 'unknown type'}, not text]`;
}

function mediaOf(block: Content): ModelBlock[] {
  if ((block.type !== 'image' && block.type !== 'audio') || isTooLarge(block)) return [];
  return [{ type: block.type, data: block.data, mimeType: block.mimeType }];
}

const isTooLarge = ({ data }: { readonly data: string }): boolean => data.length > MAX_MEDIA;
