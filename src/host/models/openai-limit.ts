/** Chooses the name of the token limit: OpenAI renamed it and rejects the old name for newer models; other providers know one of both. */

export type LimitName = 'max_completion_tokens' | 'max_tokens';

/** Sends the request with this name. `onRejected` receives a rejection before it is thrown. */
type SendWithLimit = (limit: LimitName, onRejected?: (status: number, text: string) => void) => Promise<void>;

/** Texts of errors for unknown parameters. Errors for a value out of range also name the parameter, and must not be retried. */
const unknownParameter =
  /unsupported|unrecogni[sz]ed|unknown|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs|fields)/i;

/** Sends a request again with the other name if the provider does not know the first one. */
export function limitNames({ hostname }: URL): (model: string, send: SendWithLimit) => Promise<void> {
  // Other providers get the old name first: one that ignores the new name would reply without a limit.
  const usual = hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
  /** By model: a provider can have both old and new ones. */
  const accepted = new Map<string, LimitName>();
  return async (model, send) => {
    const first = accepted.get(model) ?? usual;
    let isUnknown = false;
    try {
      await send(first, (status, text) => {
        isUnknown = (status === 400 || status === 422) && text.includes(first) && unknownParameter.test(text);
      });
    } catch (error) {
      if (!isUnknown) throw error;
      const other = first === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      await send(other);
      accepted.set(model, other);
    }
  };
}
