/** Credentials in one encrypted file that only its owner may read. For Node, whose modules are loaded with the first use. */
import { McpError } from '../../../errors.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import type { CredentialStore } from './credential-store.ts';
import { type CredentialKey, checkKey } from './file-credentials-key.ts';

/** Settings of `fileCredentials`. */
export interface FileCredentialsOptions {
  /** What the file is encrypted with; or who to ask for it, such as a keychain, when it is needed first. */
  readonly key: CredentialKey | (() => CredentialKey | Promise<CredentialKey>);
  readonly clock?: Clock | undefined;
}

/** The file is made when there is something to keep, with mode 0600, in a folder with mode 0700. */
export function fileCredentials(path: string, options: FileCredentialsOptions): CredentialStore {
  const { key, clock = systemClock } = options;
  if (typeof process === 'undefined') {
    const why = 'a page has no files; pass a store of your own';
    throw new McpError('MCP_BAD_DEFINITION', { what: 'fileCredentials', why });
  }
  if (typeof key !== 'function') checkKey(key);
  const keyOf = async (): Promise<CredentialKey> => checkKey(typeof key === 'function' ? await key() : key);
  let opening: Promise<CredentialStore> | undefined;
  const opened = (): Promise<CredentialStore> => {
    opening ??= import('./file-credentials-node.ts').then(
      ({ CredentialFile }) => new CredentialFile({ path, keyOf, clock }),
    );
    return opening;
  };
  return {
    read: async (name) => (await opened()).read(name),
    write: async (name, value) => (await opened()).write(name, value),
    remove: async (name) => (await opened()).remove(name),
  };
}
