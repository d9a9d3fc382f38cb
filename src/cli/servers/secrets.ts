/** Secrets in configurations: recognised by the names that they stand under, and by their looks. */
import { MASK, maskedText } from '../../host/audit-mask.ts';

/** Whether a value under this name is one: not if it only says where the secret is. */
export const isSecret = (name: string, value: string): boolean =>
  value !== '' &&
  !/\$\{[^{}]+\}/.test(value) &&
  (maskedText(`${name}=x`).includes(MASK) || maskedText(value).includes(MASK));

/** A line of JSON as it may be shown. */
export function withoutSecrets(line: string): string {
  const masked = line.replace(
    /"([^"\\]+)"(\s*:\s*)"((?:[^"\\]|\\.)+)"/g,
    (whole, name: string, colon: string, value) =>
      isSecret(name, String(value)) ? `"${name}"${colon}"${MASK}"` : whole,
  );
  return maskedText(masked);
}
