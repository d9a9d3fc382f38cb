/** Computes the warnings of a consent question that follow from the act itself. */
import { removeUnseen } from '../../model/printable.ts';
import type { Act } from '../act/act.ts';

export function actWarnings(act: Act): readonly string[] {
  const { name, arguments: args, meta = {}, carries, status, effects, openWorld, kind } = act;
  const warnings: string[] = [];
  if ([name, JSON.stringify(args), JSON.stringify(meta)].some(hasInvisible))
    warnings.push('It contains characters that cannot be seen.');
  if (carries.length > 0) warnings.push(`It contains text from ${carries.join(' and ')}.`);
  if (status === 'suspicious') warnings.push('What the server says about it is suspicious.');
  if (status === 'changed') warnings.push('Its definition is not the one that was approved or first seen.');
  if (kind === 'tool' && effects === 'destructive' && openWorld)
    warnings.push('It can destroy something outside its server.');
  return warnings;
}

const hasInvisible = (text: string): boolean => removeUnseen(text) !== text;
