import { expect, test } from 'vitest';
import { EventFeed } from './event-feed.ts';

test('the event feed sends no events after "end", so that pages keep displaying servers that close during shutdown', () => {
  const feed = new EventFeed('p');
  const heard: string[] = [];
  feed.read({ write: (text) => void heard.push(/"method":"(\w+)"/.exec(text)?.[1] ?? '') }, undefined);
  feed.emit('catalogue', { server: 'shop' });
  feed.emit('end', { why: 'Ctrl-C' });
  feed.emit('catalogue', { server: 'files' });
  expect(heard).toEqual(['catalogue', 'end']);
});
