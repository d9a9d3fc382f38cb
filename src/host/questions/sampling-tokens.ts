/** Estimates the tokens of a sampling request, for budgets: everything that is sent to the model counts, not only message text. */
import type { CreateMessageParams } from '../../model/sampling.ts';
import { estimateTokens } from '../catalogue/tokens.ts';
import type { ModelBlock } from '../models/model.ts';
import { modelRequest } from './sampling-messages.ts';

/** The approximate maximum per picture, because providers scale larger pictures down. */
const PICTURE_TOKENS = 1_600;
/** Characters of base64 per token of audio: about 30 tokens per second in common formats. */
const SOUND_PER_TOKEN = 400;

/** Counts system prompt, messages, pictures, audio, tools and their results, but not the reply. */
export function promptTokens(params: CreateMessageParams): number {
  const request = modelRequest('', params);
  let media = 0;
  // Only blocks are pictures or audio. An object of the same form in arguments or schemas is sent as text.
  const withoutMedia = (blocks: readonly ModelBlock[]): readonly ModelBlock[] =>
    blocks.flatMap((block): readonly ModelBlock[] => {
      if (block.type === 'tool_result') return [{ ...block, content: withoutMedia(block.content) }];
      if (block.type !== 'image' && block.type !== 'audio') return [block];
      media += block.type === 'image' ? PICTURE_TOKENS : Math.ceil(block.data.length / SOUND_PER_TOKEN);
      return [];
    });
  const messages = request.messages.map(({ role, content }) => ({ role, content: withoutMedia(content) }));
  const text = JSON.stringify({ ...request, messages });
  return media + estimateTokens(text);
}
