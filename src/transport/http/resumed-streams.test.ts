import { expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeSink, started } from '../../../test/support/fake-http.ts';
import { opened, progressing } from '../../../test/support/http-messages.ts';
import { soon } from '../../../test/support/soon.ts';
import { type Context, tool } from '../../index.ts';
import { HttpService } from './service.ts';

test.each(['ended', 'open'].flatMap((which) => ['2025-03-26', '2025-11-25'].map((revision) => ({ which, revision }))))(
  'a client that resumes an $which stream of $revision gets as much as may be unread, and the rest when it resumes again',
  async ({ which, revision }) => {
    const { server } = port();
    const service = new HttpService(server, { maxQueueBytes: 1_000 });
    let finish = (): void => undefined;
    const finished = new Promise<string>((resolve) => {
      finish = () => resolve('finished');
    });
    const run = (_: object, ctx: Context): Promise<string> => {
      for (let n = 1; n <= 40; n++) ctx.progress(n, 40);
      return finished;
    };
    server.add(tool({ name: 'long', run }));
    if (which === 'ended') finish();
    const headers = await opened(service, revision);
    const { reply, done } = started(service, { headers, body: progressing(1, 'long') });
    await soon(() => expect(reply.sink?.lastId).toMatch(/\.4[01]$/));
    if (which === 'ended') await done;
    else reply.hangUp();
    let last = `${reply.sink?.lastId.split('.')[0]}.0`;
    const seen: unknown[] = [];
    let times = 0;
    for (const all = which === 'ended' ? 41 : 40; seen.length < all; times++) {
      const again = started(service, { method: 'GET', headers: { ...headers, 'last-event-id': last } });
      await again.done;
      const sink = again.reply.sink as FakeSink; // a stream was opened, or the test fails here
      expect(sink.text.length).toBeLessThan(3_000);
      seen.push(...sink.messages);
      expect(sink.ended).toBe(which === 'ended' || seen.length < all);
      last = sink.lastId;
    }
    expect(times).toBeGreaterThan(2);
    finish();
    await done;
  },
);
