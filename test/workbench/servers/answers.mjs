// Answers questions of a workbench without a browser: `node answers.mjs <url> <file>`. The URL is from `mooring workbench --json` or
// "Copy a URL for another tab"; the file contains the form values.
import { readFileSync } from 'node:fs';

const [address, file] = process.argv.slice(2);
const { origin, hash } = new URL(address);
const answers = JSON.parse(readFileSync(file, 'utf8'));
const post = async (path, body, headers = {}) =>
  (
    await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    })
  ).json();
const { token } = await post('/start', { token: hash.slice('#t='.length) });
const headers = { authorization: `Bearer ${token}` };
const rpc = (method, params) => post('/rpc', { jsonrpc: '2.0', id: 1, method, params }, headers);
const values = {
  form: () => ({ kind: 'form', action: 'accept', content: answers.form }),
  visit: () => ({ kind: 'visit', action: 'done' }),
  sampling: () => ({ kind: 'sampling', action: 'accept', text: answers.model }),
};
const answer = ({ id, kind, binding }) =>
  kind === 'consent'
    ? rpc('consent', { question: id, binding, answer: { allow: true } })
    : rpc('answer', { question: id, value: values[kind]() });

const { body } = await fetch(`${origin}/events`, { headers: { ...headers, origin } });
// Questions from before it connected.
for (const question of (await rpc('hello', {})).result.questions) await answer(question);
let text = '';
for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  const events = text.split('\n\n');
  text = events.pop();
  for (const event of events) {
    const data = event.split('\n').find((line) => line.startsWith('data:'));
    const { method, params } = data === undefined ? {} : JSON.parse(data.slice('data:'.length));
    if (method === 'question') await answer(params.question);
  }
}
