import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { settled } from '../../../test/support/held-clock.ts';
import { NodeView } from './node.ts';

interface Incoming {
  readonly body: PassThrough;
  readonly view: NodeView;
}

function incoming(more: object = {}): Incoming {
  const body = new PassThrough();
  // as much of a request as the view looks at
  const request = Object.assign(
    body,
    { method: 'POST', headers: { host: 'localhost' } },
    more,
  ) as unknown as IncomingMessage;
  return { body, view: new NodeView(request, '/mcp') };
}

describe('a body', () => {
  test('is put together from its chunks, wherever they were cut', async () => {
    const { body, view } = incoming();
    const text = view.text(100);
    const bytes = Buffer.from('"Grüße"');
    for (const byte of bytes) body.write(Buffer.from([byte]));
    body.end();
    expect(await text).toBe('"Grüße"');
  });

  test.each([
    [9, false],
    [10, true],
    [11, true],
  ])('of ten bytes, with a limit of %i', async (limit, fits) => {
    const { body, view } = incoming();
    const text = view.text(limit).then(
      () => true,
      (fault: { status: number }) => fault.status !== 413,
    );
    body.write('12345');
    body.end('67890');
    expect(await text).toBe(fits);
  });

  test('is refused by its length alone', async () => {
    const { view } = incoming({ headers: { 'content-length': '11' } });
    await expect(view.text(10)).rejects.toMatchObject({ status: 413 });
  });

  test('that a middleware has read is there parsed, or is empty', async () => {
    expect(incoming({ body: { jsonrpc: '2.0' } }).view.parsed).toEqual({ jsonrpc: '2.0' });
    const { body, view } = incoming();
    body.end();
    body.resume();
    await settled();
    expect(await view.text(10)).toBe('');
  });
});

test('a header that came more than once is one text, and fits nothing', () => {
  const { view } = incoming({ headers: { 'set-cookie': ['a', 'b'], host: 'localhost' } });
  expect(view.header('set-cookie')).toBe('a, b');
  expect(view.header('nothing')).toBeUndefined();
});
