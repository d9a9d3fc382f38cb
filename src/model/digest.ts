/** SHA-256 of a text, as base64url: what stands for the text where the text itself is too long or must not be kept. */
import { toBase64Url } from './base64.ts';

export const digest = async (text: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
