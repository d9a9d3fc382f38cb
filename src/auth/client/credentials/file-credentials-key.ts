/** What a file of credentials is encrypted with, and what is too weak for that. */
import { McpError } from '../../../errors.ts';

/** A passphrase of at least 16 characters, or at least 32 random bytes. */
export type CredentialKey = string | Uint8Array;

const MIN_CHARACTERS = 16;
const MIN_BYTES = 32;

/** The compiler keeps other things out; a variable of the environment that is not set is easily passed nevertheless. */
export function checkKey(key: CredentialKey): CredentialKey {
  const fits =
    typeof key === 'string' ? key.length >= MIN_CHARACTERS : key instanceof Uint8Array && key.length >= MIN_BYTES;
  if (fits) return key;
  const why = `it must be a string of at least ${MIN_CHARACTERS} characters, or at least ${MIN_BYTES} bytes, kept apart from the file`;
  throw new McpError('MCP_BAD_DEFINITION', { what: 'The key of fileCredentials', why });
}
