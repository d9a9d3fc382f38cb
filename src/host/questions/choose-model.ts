/** Which of the user's models a server gets: the first hint that fits one, then what matters to the server, then the default. */
import type { ModelPreferences } from '../../model/sampling.ts';
import type { ModelTraits } from '../models/model.ts';

export function chooseModel(
  models: readonly ModelTraits[],
  preferences: ModelPreferences = {},
): ModelTraits | undefined {
  for (const { name = '' } of preferences.hints ?? []) {
    const fitting = models.filter((model) => name !== '' && model.name.toLowerCase().includes(name.toLowerCase()));
    if (fitting.length > 0) return best(fitting, preferences);
  }
  return best(models, preferences);
}

/** Of equals, the one that the user named first. */
function best(models: readonly ModelTraits[], preferences: ModelPreferences): ModelTraits | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const worth = ({ cost = 0, speed = 0, intelligence = 0 }: ModelTraits): number =>
    costPriority * cost + speedPriority * speed + intelligencePriority * intelligence;
  return models.toSorted((a, b) => worth(b) - worth(a))[0];
}
