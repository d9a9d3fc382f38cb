/** Fetches and validates the icon of a server, as an untrusted file. */
import { Buffer } from 'node:buffer';
import type { Icon } from '../../model/content.ts';
import { mediaType } from '../../model/media-type.ts';
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import type { FetchedIcon, IconFetch } from './icon-web.ts';
import { type ImageType, readImageInfo } from './image.ts';
import { svgFault } from './svg.ts';

/** Limits: the size of the file, the width and height in pixels, and the frames of an animation. */
const MAX_ICON_BYTES: number = 512 * 1024;
const MAX_SIDE = 1_024;
const MAX_FRAMES = 32;

/** Options of `checkedIcon`. */
export interface IconOptions {
  /** The URL of the server, if it has one; `address` of a managed server is accepted too. */
  readonly from?: URL | string | undefined;
  /** Origins, besides the server's own, from which icons are accepted. */
  readonly trusted?: readonly string[];
  /** Also accepts SVG drawings that contain only shapes. Display them as images, never inline in a page. */
  readonly svg?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Replaces the built-in HTTP client. */
  readonly fetch?: IconFetch;
}

/** A validated icon. */
export interface IconImage {
  readonly type: ImageType | 'image/svg+xml';
  readonly bytes: Uint8Array;
}

/** The result of `checkedIcon`: an image, or the reason why it was refused. */
export type CheckedIcon = { readonly image: IconImage } | { readonly refused: string };

/** Fetches an icon. Refuses other origins, other file types, and large images. Never rejects. */
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

/** Fetches over https:, only from the server's origin or a trusted one. */
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

/** The server's URL; undefined for a command. */
function endpointOf(from: URL | string | undefined): URL | undefined {
  if (from === undefined || !URL.canParse(from)) return undefined;
  const url = new URL(from);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

function checkImage(
  bytes: Uint8Array,
  declaredTypes: readonly (string | undefined)[],
  { svg = false }: IconOptions,
): CheckedIcon {
  if (bytes.length > MAX_ICON_BYTES) return { refused: `it has more than ${MAX_ICON_BYTES} bytes` };
  const info = readImageInfo(bytes);
  const type = info?.type ?? (looksLikeSvg(bytes) ? 'image/svg+xml' : undefined);
  if (type === undefined) return { refused: 'it is neither PNG nor JPEG nor WebP' };
  const other = declaredTypes.map(normalizeType).find((one) => one !== undefined && one !== type);
  if (other !== undefined) return { refused: `it is said to be ${other.slice(0, 60)}, and is ${type}` };
  if (info === undefined) {
    const why = svg ? svgFault(bytes) : 'an SVG drawing; SVG is not accepted here';
    return why === undefined ? { image: { type, bytes } } : { refused: `it is ${why}` };
  }
  const { width, height, frames } = info;
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE))
    return { refused: `it measures ${width} by ${height} pixels, and ${MAX_SIDE} on a side are enough` };
  return frames > MAX_FRAMES
    ? { refused: `it has ${frames} frames, and ${MAX_FRAMES} are enough` }
    : { image: { type, bytes } };
}

/** Normalizes a declared media type; undefined for a missing or generic one. */
function normalizeType(type: string | undefined): string | undefined {
  const name = mediaType(type);
  if (name === '' || name === 'application/octet-stream') return undefined;
  return name === 'image/jpg' ? 'image/jpeg' : name;
}

const looksLikeSvg = (bytes: Uint8Array): boolean =>
  /^\uFEFF?\s*<(?:\?xml|svg|!)/.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 256)));
