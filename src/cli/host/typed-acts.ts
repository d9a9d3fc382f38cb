/** Rules that allow what the user typed. Only the user's own rules or a lock file can still require a question. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Act, type ActMatch, type Rule, rules } from '../../host/index.ts';

/** Without a lock file, every definition is new, so `new` and `suspicious` do not require a question. */
export function allowTyped(match: ActMatch, hasLock: boolean): readonly Rule[] {
  return [...(hasLock ? [] : [rules.allow({ ...match, status: ['new', 'suspicious'] })]), rules.allow(match)];
}

type TypedTool = Pick<Act, 'server' | 'name'>;

/** Tells calls that the user typed in a chat from calls of a model. */
export class TypedCalls {
  /** The tool of the typed call that the current code runs for. */
  readonly #typed: AsyncLocalStorage<TypedTool> = new AsyncLocalStorage();

  #running: number = 0;

  /** Disables the storage when no typed call is running: an active AsyncLocalStorage slows every promise of the process. */
  async run<T>({ server, name }: TypedTool, call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await this.#typed.run({ server, name }, call);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#typed.disable();
    }
  }

  /** Insert after the user's rules. */
  rules(hasLock: boolean): readonly Rule[] {
    const typedByYou = ({ server, name }: Act): boolean => {
      const typed = this.#typed.getStore();
      return typed?.server === server && typed.name === name;
    };
    return allowTyped({ kind: 'tool', where: typedByYou }, hasLock);
  }
}
