/** manualSignIn(): the user pastes the URL of the redirect, sometimes a wrong one. */
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type ManualSignInPrompt, manualSignIn } from './manual-sign-in.ts';

const redirectUri = 'http://127.0.0.1:8765/callback';
const authorizationUrl = 'https://auth.example/authorize?state=s1';
const answer = `${redirectUri}?code=c1&state=s1&iss=https%3A%2F%2Fauth.example`;

/** A user who pastes one text after the other. */
function person(...pastes: string[]): {
  prompts: ManualSignInPrompt[];
  ask: (prompt: ManualSignInPrompt) => Promise<string>;
} {
  const prompts: ManualSignInPrompt[] = [];
  return {
    prompts,
    async ask(prompt) {
      prompts.push(prompt);
      return pastes.shift() ?? '';
    },
  };
}

async function signIn(
  ask: (prompt: ManualSignInPrompt) => Promise<string>,
  url: string = authorizationUrl,
): Promise<string> {
  const attempt = await manualSignIn({ ask, redirectUri }).begin();
  expect(attempt.redirectUri).toBe(redirectUri);
  try {
    return await attempt.finish(url);
  } finally {
    await attempt.close();
  }
}

test('manualSignIn() shows the URL and returns the pasted redirect URL', async () => {
  const { prompts, ask } = person(`\n  ${answer} \n`);
  expect(await signIn(ask)).toBe(answer);
  expect(prompts).toMatchObject([
    { url: authorizationUrl, message: expect.stringContaining('copy the whole address') },
  ]);
});

test('manualSignIn() asks again when only the code is pasted', async () => {
  const { prompts, ask } = person('c1', answer);
  expect(await signIn(ask)).toBe(answer);
  expect(prompts[1]?.message).toContain('The code alone is not enough');
});

test('manualSignIn() asks again when another URL is pasted', async () => {
  const { prompts, ask } = person('http://127.0.0.1:8765/other?code=c1', 'http://127.0.0.1:1/callback?code=c1', answer);
  expect(await signIn(ask)).toBe(answer);
  expect(prompts[1]?.message).toContain(`begins with ${redirectUri}`);
  expect(prompts[2]?.message).toContain(`begins with ${redirectUri}`);
});

test('manualSignIn() fails after three tries, without the pasted text in the error', async () => {
  const { prompts, ask } = person('c1-secret', 'c1-secret', 'c1-secret', answer);
  const failure = await signIn(ask).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'MCP_AUTH_FAILED', details: { url: 'https://auth.example' } });
  expect(String(failure)).toContain('The code alone is not enough');
  expect(String(failure) + JSON.stringify(prompts)).not.toContain('c1-secret');
  expect(prompts).toHaveLength(3);
});

test('manualSignIn() shows only URLs that are safe for a browser', async () => {
  verifies('SEC-037', 'SEC-038');
  const { prompts, ask } = person(answer);
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'http://auth.example/authorize']) {
    await expect(signIn(ask, url)).rejects.toMatchObject({ code: 'MCP_AUTH_BLOCKED' });
  }
  expect(prompts).toEqual([]);
});

test('manualSignIn() accepts only redirect URIs with https: or on this machine', () => {
  verifies('AUTH-106');
  const { ask } = person();
  expect(() => manualSignIn({ ask, redirectUri: 'http://app.example/callback' })).toThrow(
    'The redirectUri of manualSignIn',
  );
  expect(() => manualSignIn({ ask, redirectUri: 'myapp://callback' })).toThrow('The redirectUri of manualSignIn');
  expect(() => manualSignIn({ ask, redirectUri: 'https://app.example/callback' })).not.toThrow();
});
