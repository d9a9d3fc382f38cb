import { expect, test } from 'vitest';
import { FakeView } from '../../../test/support/fake-http.ts';
import { acceptsOf, bodyFault } from './media.ts';

test.each([
  [undefined, true, true],
  ['*/*', true, true],
  ['application/json', true, false],
  ['text/event-stream', false, true],
  ['text/*;q=0.5, APPLICATION/JSON; q=0.1', true, true],
  ['application/json;q=0, text/event-stream', false, true],
  ['application/json; q=0.0, text/event-stream;q=0', false, false],
  ['*/*, application/json;q=0', false, true],
  ['text/event-stream;q=0, */*', true, false],
  ['text/html', false, false],
  ['application/jsonp, text/event-streams', false, false],
  ['', false, false],
])('Accept: %s', (header, json, events) => {
  expect(acceptsOf(header)).toEqual({ json, events });
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;x=y'])(
  'a body can be %s',
  (type) => {
    expect(bodyFault(new FakeView({ headers: { 'content-type': type } }))).toBeUndefined();
  },
);

test.each([
  undefined,
  '',
  'text/plain',
  'text/plain;application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/json-patch+json',
  'application/jsonx',
  'application/json, application/json',
  'application/json; charset=utf-8, text/plain',
])('a body cannot be %s', (type) => {
  expect(bodyFault(new FakeView({ headers: { 'content-type': type } }))).toContain('application/json');
});

test('the error for a media type quotes up to 100 characters of it', () => {
  const faultOf = (type: string | undefined): string | undefined =>
    bodyFault(new FakeView({ headers: { 'content-type': type } }));
  expect(faultOf(undefined)).toBe('Content-Type must be application/json, not absent');
  expect(faultOf('text/"x"')).toBe('Content-Type must be application/json, not "text/\\"x\\""');
  expect(faultOf(`y${'x'.repeat(100)}`)).toBe(`Content-Type must be application/json, not "y${'x'.repeat(99)}"`);
});

test('a compressed body is rejected', () => {
  expect(bodyFault(new FakeView({ headers: { 'content-encoding': 'gzip' } }))).toContain('Content-Encoding');
  expect(bodyFault(new FakeView({ headers: { 'content-encoding': 'Identity' } }))).toBeUndefined();
});
