/** Estimates the tokens of a sampling request, for budgets: everything that is sent to the model counts, not only message text. */
import { isObject } from '../../jsonrpc/message.ts';
import type { CreateMessageParams } from '../../model/sampling.ts';
import { estimateTokens } from '../catalogue/tokens.ts';
import { modelRequest } from './sampling-messages.ts';

/** The approximate maximum per picture, because providers scale larger pictures down. */
const PICTURE_TOKENS = 1_600;
/** Characters of base64 per token of audio: about 30 tokens per second in common formats. */
const SOUND_PER_TOKEN = 400;

/** Counts system prompt, messages, pictures, audio, tools and their results, but not the reply. */
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
