/** Fields that ask for what belongs in no form: a server that needs it sends the user to a page of its own. */
import { isObject } from '../../jsonrpc/message.ts';
import type { FormSchema } from '../../model/elicitation.ts';

const secret =
  /pass\s?(?:word|phrase|code|wd)|passwort|kennwort|mot de passe|contrase|\b(?:pwd|pin|otp|cvv|cvc|ssn|iban)\b|secret|credential|\btokens?\b|api key|access key|private key|seed phrase|recovery (?:code|phrase)|(?:credit|debit) ?card|card ?number|social security|one.time code|verification code/i;

export function secretWarnings({ properties }: FormSchema): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const said = isObject(field) ? [field['title'], field['description'], field['format']] : [];
    const words = [name, ...said].filter((one) => typeof one === 'string').map(spoken);
    return words.some((one) => secret.test(one))
      ? [`The field "${name}" seems to ask for a secret. No server may ask for one in a form: do not enter it.`]
      : [];
  });
}

/** `apiKey` and `api_key` are two words. */
const spoken = (text: string): string => text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[-_.]+/g, ' ');
