import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { Secret } from './secret.ts';

test('a secret shows itself to nobody who does not ask for it by name', () => {
  verifies('SEC-052');
  const secret = new Secret('s3cr3t-t0k3n');
  const error = new Error(`with ${secret}`, { cause: { secret } });
  const everywhere = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret, nested: [secret] }),
    inspect(secret),
    inspect({ secret }, { depth: 9, showHidden: true }),
    inspect(error),
    inspect(new Map([['k', secret]])),
    Object.values(secret).join(),
    Object.getOwnPropertyNames(secret).join(),
    JSON.stringify(structuredClone({ ...secret })),
  ].join('\n');
  expect(everywhere).not.toContain('s3cr3t');
  expect(everywhere).toContain('[redacted]');
  expect(secret.reveal()).toBe('s3cr3t-t0k3n');
});
