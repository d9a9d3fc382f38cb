/** Secrets in configurations: recognised by the names that they stand under, and by their looks. */
import { isSecretName, MASK, maskSecrets } from '../../model/secrets.ts';

/** Whether a value under this name is a secret: not if it only says where the secret is. */
export const isSecret = (name: string, value: string): boolean =>
  value !== '' && !/\$\{[^{}]+\}/.test(value) && (isSecretName(name) || maskSecrets(value).includes(MASK));
