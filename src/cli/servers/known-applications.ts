/** The host's table of applications, which reads their files, and how a file refers to a variable of the environment. */
import { dialectOf } from '../../host/config/applications.ts';
import { markedReference, type Refer } from '../../host/config/dialects.ts';
import { isSecretName, MASK, maskSecrets } from '../../model/secrets.ts';

export { type Application, applicationOf, applications } from '../../host/config/applications.ts';
export { applicationFolders, type ConfigPlace, configPlaces, projectOf } from '../../host/config/config-places.ts';
export type { Refer } from '../../host/config/dialects.ts';

/** As the readers of that file spell it; we read them all. */
export const referenceIn = (file: string): Refer => dialectOf(file).refer ?? markedReference;

export const looksUpReferences = (file: string): boolean => dialectOf(file).refer !== undefined;

/** A template with its variables spelled as in another file. */
export const respelled = (template: string, refer: Refer): string =>
  template.replace(/\$\{(?:env:(\w+)|([A-Z_][A-Z\d_]*))(?::-([^{}]*))?\}/g, (_, marked, bare, otherwise) =>
    refer(marked ?? bare, otherwise),
  );

/** Whether a value under this name is a secret: not if it only says where the secret is. */
export const isSecret = (name: string, value: string): boolean =>
  value !== '' && !/\$\{[^{}]+\}/.test(value) && (isSecretName(name) || maskSecrets(value).includes(MASK));
