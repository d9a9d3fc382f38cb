/** Chooses a model for a server's sampling request: by the server's hints, then by its priorities, then the default. */
import type { ModelPreferences } from '../../model/sampling.ts';
import type { ModelTraits } from '../models/model.ts';

export function chooseModel(
  models: readonly ModelTraits[],
  preferences: ModelPreferences = {},
): ModelTraits | undefined {
  for (const { name = '' } of preferences.hints ?? []) {
    const hinted = models.filter((model) => name !== '' && model.name.toLowerCase().includes(name.toLowerCase()));
    if (hinted.length > 0) return bestOf(hinted, preferences);
  }
  return bestOf(models, preferences);
}

/** The model with the highest rating; of equals, the one that is configured first. */
function bestOf(models: readonly ModelTraits[], preferences: ModelPreferences): ModelTraits | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const rating = ({ cost = 0, speed = 0, intelligence = 0 }: ModelTraits): number =>
    costPriority * cost + speedPriority * speed + intelligencePriority * intelligence;
  return models.toSorted((a, b) => rating(b) - rating(a))[0];
}
