/** What the user typed is agreed to: only a rule of theirs or a lock file is a reason to ask about it again. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Act, type ActMatch, type Rule, rules } from '../../host/index.ts';

/** Without a lock file nothing was approved before, so that no definition can have changed. */
export function allowTyped(match: ActMatch, hasLock: boolean): readonly Rule[] {
  return [...(hasLock ? [] : [rules.allow({ ...match, status: ['new', 'suspicious'] })]), rules.allow(match)];
}

type TypedTool = Pick<Act, 'server' | 'name'>;

/** Calls that the user types in a chat, where a model calls tools as well. */
export class TypedCalls {
  /** The tool that the code which runs now was asked for. */
  readonly #typed: AsyncLocalStorage<TypedTool> = new AsyncLocalStorage();

  #running: number = 0;

  /** A storage that is on costs every promise of the process, so it is off while no such call is under way. */
  async run<T>({ server, name }: TypedTool, call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await this.#typed.run({ server, name }, call);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#typed.disable();
    }
  }

  /** To be put behind the rules of the user. */
  rules(hasLock: boolean): readonly Rule[] {
    const typedByYou = ({ server, name }: Act): boolean => {
      const typed = this.#typed.getStore();
      return typed?.server === server && typed.name === name;
    };
    return allowTyped({ kind: 'tool', where: typedByYou }, hasLock);
  }
}
