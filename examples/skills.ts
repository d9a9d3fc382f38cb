/** A folder of skills: served with digests, loaded by a host with the user's consent, and noticed when it changes. */
import assert from 'node:assert/strict';
import { createServer } from 'mooring';
import { createHost, rules } from 'mooring/host';
import { skills } from 'mooring/skills';

const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  parts: [],
  skills: await skills(new URL('skills', import.meta.url)),
});

const asked: string[] = [];
const host = createHost({
  servers: { shop },
  skills: true,
  policy: [rules.allow({ kind: 'connect' })],
  // Your application shows the question to the user.
  consent: ({ act }) => {
    asked.push(`${act.kind} ${act.name} of ${act.server}`);
    return { allow: true };
  },
});
const session = host.session();

const listed = await session.skills();
assert.deepEqual(
  listed.map(({ name, status }) => [name, status]),
  [
    ['refunds', 'new'],
    ['shipping', 'new'],
  ],
);

const skill = await session.skill('shop', 'skill://refunds/SKILL.md');
assert.deepEqual(asked, ['skill skill://refunds/SKILL.md of shop']);
assert.match(skill.text, /not refunded/);

// Every byte is compared with what the user approved.
const forms = new TextDecoder().decode(await skill.read('references/FORMS.md'));
assert.match(forms, /R-1/);

// What goes to a model says whose text it is.
assert.ok(skill.fenced.startsWith('<from-server label="shop" skill="skill://refunds/SKILL.md">'));
skill.release();
await host.close();
