/** URLs of upstreams: no credentials, and no placeholder that decides the host. */
import { expect, test } from 'vitest';
import { upstreamTemplateFault, upstreamUrlFault } from './upstream-url-fault.ts';

test.each(['https://ada@shop.example/mcp', 'https://:hush@shop.example/mcp', 'https://ada:hush@shop.example/mcp'])(
  '%s has credentials, which do not belong there',
  (url) => {
    expect(upstreamUrlFault(url)).toContain('credentials do not belong in a URL');
  },
);

test('a URL without credentials is fine, and what is no URL is not', () => {
  expect(upstreamUrlFault('https://shop.example/mcp?user=ada@b')).toBeUndefined();
  expect(upstreamUrlFault('shop.example/mcp')).toContain('cannot be parsed');
});

test.each([
  ...['${X}', '${X}://shop.example', 'https://${X}/mcp', 'https://shop.example:${X}/mcp', 'https://a${X}.example/'],
  ...['https:/${X}/', 'https:////${X}/mcp', 'https:\\\\${X}\\mcp', 'https:\\/${X}', 'https:${X}'],
])('a placeholder cannot decide where %s leads', (template) => {
  expect(upstreamTemplateFault(template)).toContain('not scheme, host or port');
});

test.each([
  'https://shop.example/${X}',
  'https://shop.example?${X}',
  'https://shop.example\\${X}',
  'https://a.b/#${X}',
])('a placeholder can fill the rest of %s', (template) => {
  expect(upstreamTemplateFault(template)).toBeUndefined();
});
