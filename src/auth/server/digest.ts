/** What a token is known by where it is not to be kept: of no use to anybody who finds it. */
import { toBase64Url } from '../../model/base64.ts';

export const digest = async (token: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));
