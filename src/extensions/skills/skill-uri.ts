/** URIs of skills: `skill://<path>/<file>`. Compared as text, and never resolved over a network. */

const SKILL_MD = '/SKILL.md';

/** The folder and name of the skill whose `SKILL.md` has this URI; undefined for any other URI. */
export function skillPathOf(uri: string): { readonly folder: string; readonly name: string } | undefined {
  // A regular expression, because `new URL` changes the case of the authority in some runtimes and not in others.
  const name = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#]*\/)*?([^/?#]+)\/SKILL\.md$/.exec(uri)?.[1];
  if (name === undefined) return undefined;
  return { folder: uri.slice(0, -SKILL_MD.length + 1), name: decodeSegment(name) };
}

/** The URI of a file or folder, from the segments of its path. */
export const skillUri = (segments: readonly string[]): string =>
  `skill://${segments.map(encodeURIComponent).join('/')}`;

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
