import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RecordingFile } from './recording-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'mooring-recording-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a line that cannot be written completely is removed from a recording, and later lines follow the last whole one', () => {
  const path = join(folder, 'small.ndjson');
  let left = 12;
  const file = new RecordingFile(path, (fd, bytes, from) => {
    if (left === 0) throw new Error('ENOSPC');
    const count = writeSync(fd, bytes, from, Math.min(left, bytes.length - from));
    left -= count;
    return count;
  });
  file.write({ a: 1 });
  expect(() => file.write({ b: 2 })).toThrow('ENOSPC');
  expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
  left = 100;
  file.write({ c: 3 });
  file.close();
  expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"c":3}\n');
});

test('a recording does not overwrite an existing file', () => {
  const path = join(folder, 'small.ndjson');
  expect(() => new RecordingFile(path)).toThrow('already exists');
  expect(() => new RecordingFile(join(folder, 'none', 'x.ndjson'))).toThrow('cannot be written (ENOENT)');
});
