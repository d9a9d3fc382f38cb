/** Which redirects a client follows. */
import { expect, test } from 'vitest';
import { MAX_REDIRECTS } from '../../model/redirects.ts';
import { type Redirect, redirectTarget } from './redirect-target.ts';

const from = new URL('https://mcp.example/mcp');
const target = (redirect: Partial<Redirect>) => {
  const { to, why } = redirectTarget({ status: 307, location: '/new', from, method: 'POST', count: 1, ...redirect });
  return [to?.href, why];
};

test.each([
  ['/new', 'https://mcp.example/new'],
  ['new?x=1', 'https://mcp.example/new?x=1'],
  ['https://mcp.example:443/new', 'https://mcp.example/new'],
])('a redirect to another path of the origin is followed: %s', (location, href) => {
  expect(target({ location })).toEqual([href, undefined]);
});

test.each([
  'https://evil.example/mcp',
  '//evil.example/mcp',
  'https://mcp.example.evil.example/mcp',
  'https://mcp.example:8443/mcp',
  'http://mcp.example/mcp',
  'https://mcp.example@evil.example/mcp',
  'javascript:alert(1)',
])('a redirect to another origin is not followed: %s', (location) => {
  expect(target({ location })).toEqual([new URL(location, from).href, 'the request would go to another origin']);
});

test.each([undefined, 'https://', 'http://[/'])('a redirect to %j has no target', (location) => {
  expect(target({ location })).toEqual([undefined, 'that is not a URL']);
});

test('a redirect that changes the method is not followed', () => {
  expect(target({ status: 303 })[1]).toBe('the method would change');
  expect(target({ status: 303, method: 'DELETE' })[1]).toBe('the method would change');
  expect(target({ status: 303, method: 'GET' })[1]).toBeUndefined();
});

test('redirects are followed up to a limit', () => {
  expect(target({ count: MAX_REDIRECTS })[1]).toBeUndefined();
  expect(target({ count: MAX_REDIRECTS + 1 })[1]).toBe(`more than ${MAX_REDIRECTS} redirects in a row`);
});
