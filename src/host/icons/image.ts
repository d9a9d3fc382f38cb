/** Reads type, size and frame count from the headers of PNG, JPEG and WebP files, without decoding pixels. */

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

export interface ImageInfo {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  /** More than one for an animation. */
  readonly frames: number;
}

/** Undefined for other file types and malformed files. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readPng(view) ?? readJpeg(view) ?? readWebp(view);
  } catch (error) {
    // The file is truncated.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const text = (view: DataView, at: number, length: number): string =>
  Array.from({ length }, (_, i) => String.fromCharCode(view.getUint8(at + i))).join('');

function readPng(view: DataView): ImageInfo | undefined {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a || text(view, 12, 4) !== 'IHDR')
    return undefined;
  // An APNG declares its frames in acTL and has an fcTL per frame; a file can lie about either.
  let [declared, counted] = [1, 0];
  for (let at = 8; ; at += 12 + view.getUint32(at)) {
    const kind = text(view, at + 4, 4);
    if (kind === 'acTL') declared = view.getUint32(at + 8);
    if (kind === 'fcTL') counted++;
    if (kind !== 'IEND') continue;
    const frames = Math.max(declared, counted, 1);
    return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20), frames };
  }
}

/** The start-of-frame markers, which contain the size. 0xC4, 0xC8 and 0xCC are in their range but have other meanings. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpeg(view: DataView): ImageInfo | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // Fill bytes can precede a marker, and some markers have no length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (isFrame(marker))
      return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7), frames: 1 };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

function readWebp(view: DataView): ImageInfo | undefined {
  if (text(view, 0, 4) !== 'RIFF' || text(view, 8, 4) !== 'WEBP') return undefined;
  const first = webpSize(view);
  if (first === undefined) return undefined;
  let [frames, { width, height }] = [0, first];
  for (let at = 12; at < view.byteLength; at += 8 + even(view.getUint32(at + 4, true))) {
    if (at + 8 + view.getUint32(at + 4, true) > view.byteLength) return undefined;
    if (text(view, at, 4) !== 'ANMF') continue;
    frames++;
    width = Math.max(width, uint24(view, at + 14) + 1);
    height = Math.max(height, uint24(view, at + 17) + 1);
  }
  return { type: 'image/webp', width, height, frames: Math.max(frames, 1) };
}

/** The size, in the header of an extended (VP8X), lossless (VP8L) or lossy (VP8) file. */
function webpSize(view: DataView): { width: number; height: number } | undefined {
  const kind = text(view, 12, 4);
  if (kind === 'VP8X') return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (kind === 'VP8L' && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ' || uint24(view, 23) !== 0x2a019d) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000;

const even = (length: number): number => length + (length % 2);
