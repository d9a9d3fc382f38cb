/** The name of the token limit: OpenAI renamed it and rejects the old name for newer models; other providers know one of the two. */

export type LimitName = 'max_completion_tokens' | 'max_tokens';

/** Asks under a name. `onRefused` gets a rejection before it is thrown. */
type AskWithLimit = (limit: LimitName, onRefused?: (status: number, text: string) => void) => Promise<void>;

/** How a parameter is refused that is not known. One that is out of bounds is named as well, and must not go by another name. */
const unknown =
  /unsupported|unrecogni[sz]ed|unknown|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs|fields)/i;

/** Asks once more under the other name, where the first is not known. */
export function limitNames({ hostname }: URL): (model: string, ask: AskWithLimit) => Promise<void> {
  // A provider that does not know the new name may overlook it and answer without an end: others get the old one first.
  const usual = hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
  /** By model: behind one address there may be old ones and new ones. */
  const found = new Map<string, LimitName>();
  return async (model, ask) => {
    const first = found.get(model) ?? usual;
    let refused = false;
    try {
      await ask(first, (status, text) => {
        refused = (status === 400 || status === 422) && text.includes(first) && unknown.test(text);
      });
    } catch (error) {
      if (!refused) throw error;
      const other = first === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      await ask(other);
      found.set(model, other);
    }
  };
}
