/** Detects form fields that ask for secrets. Servers must ask for secrets on a web page instead. */
import { isObject } from '../../jsonrpc/message.ts';
import type { FormSchema } from '../../model/elicitation.ts';
import { asksForSecret } from '../../model/secrets.ts';
import { foldText } from '../text/fold-text.ts';

export function secretFieldWarnings({ properties }: FormSchema): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const texts = isObject(field) ? [field['title'], field['description'], field['format']] : [];
    const labels = [name, ...texts].filter((one) => typeof one === 'string');
    return labels.some((label) => asksForSecret(foldLabel(label)))
      ? [`The field "${name}" seems to ask for a secret. No server may ask for one in a form: do not enter it.`]
      : [];
  });
}

/** The label as a person reads it: without accents and invisible characters, and with look-alike letters as Latin ones. */
function foldLabel(label: string): string {
  const letters = label.normalize('NFKD').replace(/\p{M}/gu, '');
  // Splits `apiKey` into words first, because `foldText` drops case.
  const words = foldText(letters.replace(/([a-z\d])([A-Z])/g, '$1 $2'));
  return `${words} ${words.replace(/[0134$5@]/g, (digit) => digits.get(digit) ?? digit)}`;
}

/** Digits and signs that replace letters, as in `p4ssw0rd`. */
const digits: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', $: 's', '@': 'a' }),
);
