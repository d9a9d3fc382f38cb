/** URIs of skills: `skill://<path>/<file>`. They are compared as text and never resolved over a network. */

const SKILL_MD = '/SKILL.md';

/** The folder and the name of the skill whose `SKILL.md` has this URI; undefined for any other URI. */
export function skillPathOf(uri: string): { readonly folder: string; readonly name: string } | undefined {
  // Not `new URL`: runtimes differ in what they make of the case of an authority that they do not know.
  const name = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#]*\/)*?([^/?#]+)\/SKILL\.md$/.exec(uri)?.[1];
  if (name === undefined) return undefined;
  return { folder: uri.slice(0, -SKILL_MD.length + 1), name: decoded(name) };
}

/** The URI of a file, from the segments of its path. */
export const skillUri = (segments: readonly string[]): string =>
  `skill://${segments.map(encodeURIComponent).join('/')}`;

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
