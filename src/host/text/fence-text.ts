/** Fences a server's text with tags that name the server, so that a model does not take it for the user's text. */
import { escapeUnprintable } from './invisible.ts';

/** Escapes tags in the text that would end the fence or start another. `skill` is the URI of the skill that the text belongs to. */
export const fenceText = (server: string, text: string, skill?: string): string =>
  `<from-server label="${escapeLabel(server)}"${skill === undefined ? '' : ` skill="${skill}"`}>\n${text.replace(/[<＜﹤](?=[\s/]*from[\s_-]*server)/giu, '&lt;')}\n</from-server>`;

/** Escapes the label, because in a failed call it can be one that a model made up. */
const escapeLabel = (text: string): string => escapeUnprintable(text).replace(/["<>\s]/g, encodeURIComponent);
