/** Base64 and base64url without Node's `Buffer`, for every runtime. */
const CHUNK = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because the number of arguments of a call is limited.
  for (let i = 0; i < bytes.length; i += CHUNK) binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  return btoa(binary);
}

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The bytes, or undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Strict: accepts only the canonical encoding of the bytes, as `toBase64Url` writes it. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes !== undefined && toBase64Url(bytes) === text ? bytes : undefined;
}
