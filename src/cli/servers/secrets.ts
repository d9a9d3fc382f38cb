/** Secrets in configurations: recognised by the names that they stand under, and by their looks. */
import { isSecretName, MASK, scrubbed } from '../../host/audit-mask.ts';

/** Whether a value under this name is one: not if it only says where the secret is. */
export const isSecret = (name: string, value: string): boolean =>
  value !== '' && !/\$\{[^{}]+\}/.test(value) && (isSecretName(name) || scrubbed(value).includes(MASK));

/** Text that is JSON, or has some in it, as it may be shown. */
export function withoutSecrets(text: string): string {
  const masked = text.replace(
    /"([^"\\]+)"(\s*:\s*)"((?:[^"\\]|\\.)+)"/g,
    (whole, name: string, colon: string, value) =>
      isSecret(name, String(value)) ? `"${name}"${colon}"${MASK}"` : whole,
  );
  return scrubbed(masked);
}
