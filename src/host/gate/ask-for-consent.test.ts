/** Tests which answers count as consent, and when the user is not asked. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { settled } from '../../../test/support/held-clock.ts';
import type { ConsentAnswer, ConsentQuestion } from '../consent/consent.ts';
import { asConsent, askForConsent } from './ask-for-consent.ts';

const question = (editable = true): ConsentQuestion => ({
  ...{ id: 'a', act: act(), binding: 'b', rule: 'none', why: 'no rule matches' },
  ...{ warnings: [], editable, canRemember: true },
});
const ask = (answer: unknown, editable = true): Promise<unknown> =>
  askForConsent(
    asConsent(() => answer as ConsentAnswer), // an application can return anything
    question(editable),
    new AbortController().signal,
  );

describe('an answer', () => {
  test.each<[unknown, string]>([
    [undefined, '"consent" must return { allow }'],
    [null, '"consent" must return { allow }'],
    [true, '"consent" must return { allow }'],
    [[{ allow: true }], '"consent" must return { allow }'],
    [{}, 'the user declined'],
    [{ allow: 1 }, 'the user declined'],
    [{ allow: false }, 'the user declined'],
    [{ allow: true, binding: 'c' }, 'the answer belongs to another question'],
    [{ allow: true, binding: null }, 'the answer belongs to another question'],
    [{ allow: true, binding: 7 }, 'the answer belongs to another question'],
    [{ allow: true, binding: ['b'] }, 'the answer belongs to another question'],
    [{ allow: true, arguments: null }, 'the changed arguments are not a JSON object'],
    [{ allow: true, arguments: ['a'] }, 'the changed arguments are not a JSON object'],
    [{ allow: true, arguments: 'a' }, 'the changed arguments are not a JSON object'],
    [{ allow: true, remember: 'session' }, 'the answer has an unknown way to remember it'],
    [{ allow: true, remember: null }, 'the answer has an unknown way to remember it'],
  ])('of %j counts as declined', async (answer, why) => {
    expect(await ask(answer)).toMatchObject({ outcome: 'declined', why });
  });

  test('with arguments counts as declined if the question is not editable, even for equal arguments', async () => {
    for (const args of [{ path: 'other' }, act().arguments, null])
      expect(await ask({ allow: true, arguments: args }, false)).toMatchObject({
        ...{ outcome: 'declined', why: 'the answer changes arguments that cannot be changed' },
      });
  });

  test('that agrees returns a frozen copy of the edited arguments', async () => {
    const args = { path: 'b', deep: { list: [1] } };
    const agreed = await ask({ allow: true, binding: 'b', arguments: args });
    expect(agreed).toMatchObject({ outcome: 'agreed', edited: args });
    const { edited } = agreed as { readonly edited: typeof args };
    expect([edited === args, Object.isFrozen(edited.deep.list)]).toEqual([false, true]);
    expect(await ask({ allow: true })).toEqual({ outcome: 'agreed', answer: { allow: true }, edited: undefined });
  });

  test.each(['these arguments', 'any arguments'])('that agrees can be remembered for %s', async (what) => {
    for (const until of ['session', 9e15])
      expect(await ask({ allow: true, remember: { for: what, until } })).toMatchObject({ outcome: 'agreed' });
  });

  test('that declines can have a reason, if that is a string', async () => {
    expect(await ask({ allow: false, reason: 'not today' })).toMatchObject({ reason: 'not today' });
    expect(await ask({ allow: false, reason: 7 })).toMatchObject({ reason: undefined });
  });
});

describe('the user', () => {
  test('is not asked about an act that was cancelled before', async () => {
    let asked = 0;
    const consent = asConsent(() => {
      asked++;
      return { allow: true };
    });
    expect(await askForConsent(consent, question(), AbortSignal.abort())).toEqual({ outcome: 'cancelled' });
    await settled();
    expect(asked).toBe(0);
  });

  test('is asked with the signal of the act, which has no listeners after the answer', async () => {
    const { signal } = new AbortController();
    const listening: number[] = [];
    const consent = asConsent((_question, given) => {
      expect(given).toBe(signal);
      listening.push(getEventListeners(signal, 'abort').length);
      return { allow: true };
    });
    expect(await askForConsent(consent, question(), signal)).toMatchObject({ outcome: 'agreed' });
    await settled();
    expect([...listening, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
  });

  test('counts as declining if consent throws', async () => {
    const failing = {
      ask: (): never => {
        throw new Error('no window');
      },
    };
    const { signal } = new AbortController();
    expect(await askForConsent(failing, question(), signal)).toEqual({
      ...{ outcome: 'declined', why: 'the user could not be asked' },
    });
  });
});
