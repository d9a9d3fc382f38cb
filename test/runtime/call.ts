/** A client under Deno, with the built package. Arguments are URL and revision; prints results as JSON. */
import { connect } from 'mooring/client';
import { deno } from './deno.ts';

const [url = '', revision = ''] = deno.args;
const client = await connect(url, {
  revisions: [revision],
  elicit: () => ({ action: 'accept', content: { confirm: true } }),
});
const progress: number[] = [];
const counted = await client.call('count', { to: 3 }, { onProgress: (at) => void progress.push(at.progress) });
// Elicitation exists from the third revision on.
const sure = revision < '2025-06-18' ? undefined : (await client.call('sure')).text;
await client.close();
console.log(JSON.stringify({ revision: client.server.revision, counted: counted.text, progress, sure }));
