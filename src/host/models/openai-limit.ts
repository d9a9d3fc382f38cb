/** What the longest answer is called: OpenAI has renamed it and refuses the old name for its newer models; others may know one of the two. */

export type LimitName = 'max_completion_tokens' | 'max_tokens';

/** Asks under a name; hears of a refusal before it is thrown. */
type AskWithLimit = (limit: LimitName, onRefused?: (status: number, text: string) => void) => Promise<void>;

/** How a parameter is refused that is not known. One that is out of bounds is named as well, and must not go by another name. */
const unknown =
  /unsupported|unrecogni[sz]ed|unknown|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs|fields)/i;

export class LimitNames {
  readonly #usual: LimitName;
  /** By model: behind one address there may be old ones and new ones. */
  readonly #found: Map<string, LimitName> = new Map();

  /** Who does not know the new name may well overlook it, and answer without an end; so others are asked by the old one first. */
  constructor({ hostname }: URL) {
    this.#usual = hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
  }

  /** Once more under the other name, where the first is not known. */
  async use(model: string, ask: AskWithLimit): Promise<void> {
    const first = this.#found.get(model) ?? this.#usual;
    let refused = false;
    try {
      await ask(first, (status, text) => {
        refused = (status === 400 || status === 422) && text.includes(first) && unknown.test(text);
      });
    } catch (error) {
      if (!refused) throw error;
      const other = first === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      await ask(other);
      this.#found.set(model, other);
    }
  }
}
