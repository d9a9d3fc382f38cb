/** A tag with the status of a definition in the lock. Links to the policy, where a changed definition can be accepted. */
import type { OfferRow } from '../../protocol-rows.ts';
import { Icon } from '../parts/elements.tsx';
import { linkTo } from '../route.ts';

const pins: Readonly<Record<string, readonly [tone: 'bad' | undefined, word: string, help: string]>> = {
  approved: [undefined, 'pinned', 'You approved this definition, and the lock pins it'],
  new: [undefined, 'not pinned', 'The lock pins this definition when you first allow it'],
  changed: ['bad', 'changed since approval', 'The definition differs from the one in the lock'],
  suspicious: ['bad', 'suspicious text', 'The definition has a text that could manipulate a model'],
};

export const isPinAlarm = (status: OfferRow['status']): boolean => pins[status ?? '']?.[0] === 'bad';

export function PinTag({ status }: Pick<OfferRow, 'status'>) {
  const [tone, word, help] = pins[status ?? ''] ?? [];
  if (word === undefined) return null;
  return (
    <a class="tag" data-tone={tone} href={linkTo('policy')} title={help}>
      <Icon name="lock" />
      {word}
    </a>
  );
}
