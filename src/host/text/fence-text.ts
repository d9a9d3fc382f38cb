/** Text of a server between marks that say whose it is, so that a model does not take it for the user's. */
import { escapeUnprintable } from './invisible.ts';

/** Nothing in it ends the fence or begins another. `skill` is the URI of the skill that the text belongs to. */
export const fenceText = (server: string, text: string, skill?: string): string =>
  `<from-server label="${escapeLabel(server)}"${skill === undefined ? '' : ` skill="${skill}"`}>\n${text.replace(/[<＜﹤](?=[\s/]*from[\s_-]*server)/giu, '&lt;')}\n</from-server>`;

/** Where a call fails, the label can be one that a model made up. */
const escapeLabel = (text: string): string => escapeUnprintable(text).replace(/["<>\s]/g, encodeURIComponent);
