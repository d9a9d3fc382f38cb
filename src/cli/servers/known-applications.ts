/** Re-exports the host's table of applications, and spells variable references and detects secrets in their files. */
import { dialectOf } from '../../host/config/applications.ts';
import { markedReference, type Refer } from '../../host/config/dialects.ts';
import { isSecretName, MASK, maskSecrets, maskSecretsIn } from '../../model/secrets.ts';

export { type Application, applicationOf, applications } from '../../host/config/applications.ts';
export { applicationFolders, type ConfigPlace, configPlaces, projectOf } from '../../host/config/config-places.ts';
export type { Refer };

/** The syntax of variable references in a file. Mooring reads all of them. */
export const referenceIn = (file: string): Refer => dialectOf(file).refer ?? markedReference;

export const looksUpReferences = (file: string): boolean => dialectOf(file).refer !== undefined;

/** Rewrites the variable references of a template in the syntax of `refer`. */
export const respelled = (template: string, refer: Refer): string =>
  template.replace(/\$\{(?:env:(\w+)|([A-Z_][A-Z\d_]*))(?::-([^{}]*))?\}/g, (_, marked, bare, otherwise) =>
    refer(marked ?? bare, otherwise),
  );

/** The variable for a secret or a header: `github-token` becomes `GITHUB_TOKEN`. */
export const variableFor = (name: string): string => name.toUpperCase().replace(/\W/g, '_');

/** The scheme that a credential begins with, including the space: `Bearer `. */
export const credentialScheme = (value: string): string => /^(?:Bearer|Basic|Token)\s+/i.exec(value)?.[0] ?? '';

const reference = /\$\{[^{}]+\}/g;
/** User and group, as in `docker run -u 1000:1000`, are no secret. */
const userAndGroup = /^\d+:\d+$/;

/** Whether a named value is a secret. */
export const isSecret = (name: string, value: string): boolean => {
  if (value === '' || isHarmless(value)) return false;
  return isSecretName(name) || maskSecrets(value).includes(MASK);
};

/** The words of a command line or URL, with `MASK` for what looks like a secret, also after a word such as `--token`. */
export function maskWords(words: readonly string[]): readonly string[] {
  const masked = maskSecretsIn(words, { text: maskSecrets, whole: false }) as readonly string[]; // a list of texts stays one
  return words.map((word, at) => (isHarmless(word) ? word : (masked[at] ?? '')));
}

/** Whether a text is no secret under any name: a user and group, or references such as `${TOKEN}` without a secret beside them. */
function isHarmless(text: string): boolean {
  // The scheme of a credential that is a reference would itself count as the credential.
  const literal = text.replace(reference, '').replace(/\b(?:Bearer|Basic|DPoP|Token)\s*$/i, '');
  if (literal === text) return userAndGroup.test(text);
  return lettersOf(maskSecrets(literal).replaceAll(MASK, '')) === lettersOf(literal);
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
