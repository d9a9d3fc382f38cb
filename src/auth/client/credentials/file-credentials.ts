/** `fileCredentials`: stores credentials in one encrypted file. Imports Node modules lazily, so that `mooring/auth` also loads in browsers. */
import { badDefinition } from '../../../errors.ts';
import { checkObject, checkText } from '../../../model/check-argument.ts';
import { type Clock, systemClock } from '../../../peer/clock.ts';
import type { CredentialStore } from './credential-store.ts';

/** A passphrase of at least 16 characters, or at least 32 random bytes. */
export type CredentialKey = string | Uint8Array;

/** Settings of `fileCredentials`. */
export interface FileCredentialsOptions {
  /** The encryption key, or a function that gets it when it is first needed, for example from a keychain. */
  readonly key: CredentialKey | (() => CredentialKey | Promise<CredentialKey>);
  readonly clock?: Clock | undefined;
}

const MIN_CHARACTERS = 16;
const MIN_BYTES = 32;

/** Stores credentials in an encrypted file of mode 0600, in a folder of mode 0700. The first write creates both. */
export function fileCredentials(path: string, options: FileCredentialsOptions): CredentialStore {
  checkText(path, 'fileCredentials(path, options)', 'the path of a file');
  checkObject(options, 'fileCredentials(path, options)', 'an object with key');
  const { key, clock = systemClock } = options;
  if (typeof process === 'undefined')
    throw badDefinition('fileCredentials', 'a page has no files; pass a store of your own');
  if (typeof key !== 'function') checkKey(key);
  const getKey = async (): Promise<CredentialKey> => checkKey(typeof key === 'function' ? await key() : key);
  let opening: Promise<Required<CredentialStore>> | undefined;
  const open = (): Promise<Required<CredentialStore>> => {
    opening ??= import('./file-credentials-node.ts').then((node) => node.credentialFile({ path, getKey, clock }));
    return opening;
  };
  return {
    read: async (name) => (await open()).read(name),
    write: async (name, value) => (await open()).write(name, value),
    remove: async (name) => (await open()).remove(name),
    whileLocked: async (name, work) => (await open()).whileLocked(name, work),
  };
}

/** Checks the key at run time, because the value of an unset environment variable is easily passed by mistake. */
export function checkKey(key: CredentialKey): CredentialKey {
  const fits =
    typeof key === 'string' ? key.length >= MIN_CHARACTERS : key instanceof Uint8Array && key.length >= MIN_BYTES;
  if (fits) return key;
  const why = `it must be a string of at least ${MIN_CHARACTERS} characters, or at least ${MIN_BYTES} bytes, kept apart from the file`;
  throw badDefinition('The key of fileCredentials', why);
}
