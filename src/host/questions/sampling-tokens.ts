/** What it may cost to ask a model, for budgets: everything that would be sent to it counts, and not the messages' text alone. */
import { isObject } from '../../jsonrpc/message.ts';
import type { CreateMessageParams } from '../../model/sampling.ts';
import { estimateTokens } from '../catalogue/tokens.ts';
import { modelRequest } from './sampling-messages.ts';

/** Providers scale pictures down until they cost no more than about this. */
const PICTURE_TOKENS = 1_600;
/** So many characters of base64 are a token of sound: about 30 a second in the usual formats. */
const SOUND_PER_TOKEN = 400;

/** System prompt, messages, pictures, sounds, tools and their results; what is answered comes on top. */
export function promptTokens(params: CreateMessageParams): number {
  let media = 0;
  const text = JSON.stringify(modelRequest('', params), (_key, value: unknown) => {
    const tokens = mediaTokens(value);
    media += tokens ?? 0;
    return tokens === undefined ? value : '';
  });
  return media + estimateTokens(text);
}

function mediaTokens(value: unknown): number | undefined {
  if (!isObject(value) || typeof value['data'] !== 'string') return undefined;
  if (value['type'] === 'image') return PICTURE_TOKENS;
  return value['type'] === 'audio' ? Math.ceil(value['data'].length / SOUND_PER_TOKEN) : undefined;
}
