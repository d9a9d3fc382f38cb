/** An icon of a server, fetched and looked at as what it is: a file from a stranger. */
import { Buffer } from 'node:buffer';
import type { Icon } from '../../model/content.ts';
import { mediaType } from '../../model/media-type.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import type { FetchedIcon, IconFetch } from './icon-web.ts';
import { type ImageType, imageFacts } from './image.ts';
import { svgFault } from './svg.ts';

/** Of the file, of a side in pixels, of the pictures in one that moves. */
const MAX_ICON_BYTES: number = 512 * 1024;
const MAX_SIDE = 1_024;
const MAX_FRAMES = 32;

/** Where icons may come from. */
export interface IconOptions {
  /** Where the server is, if it has an address; `address` of a managed server will do. */
  readonly from?: URL | string | undefined;
  /** Origins besides the server's own whose icons are taken. */
  readonly trusted?: readonly string[];
  /** Also takes drawings in SVG that have nothing but shapes in them. Show them as images, never as part of a page. */
  readonly svg?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Used in place of our own connections. */
  readonly fetch?: IconFetch;
}

/** An icon that is what it says it is. */
export interface IconImage {
  readonly type: ImageType | 'image/svg+xml';
  readonly bytes: Uint8Array;
}

/** The picture, or why there is none. Never rejects. */
export type CheckedIcon = { readonly image: IconImage } | { readonly refused: string };

/** Fetches an icon, and refuses what is no small picture from where it may come from. */
export async function checkedIcon(icon: Icon, options: IconOptions = {}): Promise<CheckedIcon> {
  try {
    const src = String(icon.src);
    const { bytes, type } = /^data:/i.test(src) ? parseDataUrl(src) : await fetchAllowed(src, options);
    return checkImage(bytes, [icon.mimeType, type], options);
  } catch (error) {
    return { refused: networkReason(error) };
  }
}

function parseDataUrl(src: string): FetchedIcon {
  const comma = src.indexOf(',');
  if (comma === -1 || src.length > MAX_ICON_BYTES * 1.5) throw new Error('it is not a data URL, or it is too long');
  const [type, ...parameters] = src.slice('data:'.length, comma).split(';');
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const data = decodeURIComponent(src.slice(comma + 1));
  return {
    bytes: new Uint8Array(Buffer.from(data, isBase64 ? 'base64' : 'utf8')),
    type: type === '' ? 'text/plain' : type,
  };
}

/** Only from the origin of the server, or from one that the caller trusts. */
async function fetchAllowed(src: string, options: IconOptions): Promise<FetchedIcon> {
  if (!URL.canParse(src)) throw new Error('it is not a URL');
  const url = new URL(src);
  if (url.protocol !== 'https:') throw new Error(`only https: and data: are fetched, never ${url.protocol}`);
  const from = endpointOf(options.from);
  const origins = [
    ...(from === undefined ? [] : [from.origin]),
    ...(options.trusted ?? []).map((one) => new URL(one).origin),
  ];
  if (!origins.includes(url.origin)) throw new Error(`${url.origin} is neither where the server is nor trusted`);
  const { fetchIcon } = await import('./icon-web.ts');
  return fetchIcon(url, { ...options, from, maxBytes: MAX_ICON_BYTES });
}

/** A command has no origin. */
function endpointOf(from: URL | string | undefined): URL | undefined {
  if (from === undefined || !URL.canParse(from)) return undefined;
  const url = new URL(from);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

function checkImage(
  bytes: Uint8Array,
  said: readonly (string | undefined)[],
  { svg = false }: IconOptions,
): CheckedIcon {
  if (bytes.length > MAX_ICON_BYTES) return { refused: `it has more than ${MAX_ICON_BYTES} bytes` };
  const facts = imageFacts(bytes);
  const type = facts?.type ?? (looksLikeSvg(bytes) ? 'image/svg+xml' : undefined);
  if (type === undefined) return { refused: 'it is neither PNG nor JPEG nor WebP' };
  const other = said.map(declaredType).find((one) => one !== undefined && one !== type);
  if (other !== undefined) return { refused: `it is said to be ${other.slice(0, 60)}, and is ${type}` };
  if (facts === undefined) {
    const why = svg ? svgFault(bytes) : 'a drawing in SVG, and they are not taken';
    return why === undefined ? { image: { type, bytes } } : { refused: `it is ${why}` };
  }
  const { width, height, frames } = facts;
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE))
    return { refused: `it measures ${width} by ${height} pixels, and ${MAX_SIDE} on a side are enough` };
  return frames > MAX_FRAMES
    ? { refused: `it has ${frames} frames, and ${MAX_FRAMES} are enough` }
    : { image: { type, bytes } };
}

/** What is said is a hint: types that say nothing are none. */
function declaredType(type: string | undefined): string | undefined {
  const name = mediaType(type);
  if (name === '' || name === 'application/octet-stream') return undefined;
  return name === 'image/jpg' ? 'image/jpeg' : name;
}

const looksLikeSvg = (bytes: Uint8Array): boolean =>
  /^\uFEFF?\s*<(?:\?xml|svg|!)/.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 256)));
