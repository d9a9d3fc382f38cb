/** The limit over stdio: splits bytes into lines, and writes the responses to one read together. */
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { answer, checkWith, type Request } from './answer.ts';

const check = await checkWith(setup().schema);
const LF = 10;
let parts: Buffer[] = [];

process.stdin.on('data', (chunk: Buffer) => {
  const last = chunk.lastIndexOf(LF);
  if (last === -1) {
    parts.push(chunk);
    return;
  }
  const bytes = parts.length === 0 ? chunk : Buffer.concat([...parts, chunk]);
  const end = last + bytes.length - chunk.length;
  parts = end + 1 === bytes.length ? [] : [bytes.subarray(end + 1)];
  let out = '';
  for (let from = 0; from <= end; ) {
    const to = bytes.indexOf(LF, from);
    const message = JSON.parse(bytes.toString('utf8', from, to)) as Request; // the bench sends nothing else
    if (message.id !== undefined) out += `${answer(message, check)}\n`;
    from = to + 1;
  }
  if (out !== '') process.stdout.write(out);
});
underTest('stdio');
