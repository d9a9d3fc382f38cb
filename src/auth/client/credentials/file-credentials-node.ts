/** The file behind `fileCredentials`: read whole, changed under a lock, replaced whole. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Clock } from '../../../peer/clock.ts';
import type { CredentialStore } from './credential-store.ts';
import { changeCredentials, readCredentials } from './file-credentials-disk-node.ts';
import type { CredentialKey } from './file-credentials-key.ts';
import { deriveKey, readSalt, SALT_BYTES, seal, unseal } from './file-credentials-seal-node.ts';

interface CredentialFileOptions {
  readonly path: string;
  readonly keyOf: () => Promise<CredentialKey>;
  readonly clock: Clock;
}

/** What the file holds, and what it takes to write it again. */
interface Contents {
  readonly kept: Map<string, string>;
  readonly salt: Buffer;
  readonly key: Buffer;
}

export class CredentialFile implements CredentialStore {
  readonly #path: string;
  readonly #keyOf: () => Promise<CredentialKey>;
  readonly #clock: Clock;
  #given: Promise<CredentialKey> | undefined;
  /** The last key that was made; it is good for as long as the file keeps its salt. */
  #derived: { readonly salt: Buffer; readonly key: Buffer } | undefined;
  #changes: Promise<unknown> = Promise.resolve();

  constructor({ path, keyOf, clock }: CredentialFileOptions) {
    this.#path = resolve(path);
    this.#keyOf = keyOf;
    this.#clock = clock;
  }

  async read(name: string): Promise<string | undefined> {
    const text = await readCredentials(this.#path);
    return text === undefined ? undefined : (await this.#contents(text)).kept.get(name);
  }

  write(name: string, value: string): Promise<void> {
    return this.#change((kept) => kept.get(name) !== value && kept.set(name, value) !== undefined);
  }

  remove(name: string): Promise<void> {
    return this.#change((kept) => kept.delete(name));
  }

  /** One change after the other; a change that failed does not hold up the next. */
  #change(apply: (kept: Map<string, string>) => boolean): Promise<void> {
    const changed = this.#changes.then(() => this.#changeNow(apply));
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  async #changeNow(apply: (kept: Map<string, string>) => boolean): Promise<void> {
    // Whoever is asked for the key may take long, so others are locked out only afterwards.
    await this.#material();
    await changeCredentials(this.#path, this.#clock, async (text) => {
      const contents = await this.#contents(text);
      return apply(contents.kept) ? seal(contents, contents.kept) : undefined;
    });
  }

  async #contents(text: string | undefined): Promise<Contents> {
    const salt = text === undefined ? randomBytes(SALT_BYTES) : readSalt(text, this.#path);
    if (this.#derived?.salt.equals(salt) !== true) {
      this.#derived = { salt, key: await deriveKey(await this.#material(), salt) };
    }
    const { key } = this.#derived;
    return { salt, key, kept: text === undefined ? new Map() : unseal(key, text, this.#path) };
  }

  #material(): Promise<CredentialKey> {
    this.#given ??= this.#keyOf().catch((error: unknown) => {
      this.#given = undefined;
      throw error;
    });
    return this.#given;
  }
}
