/** Estimates the tokens of text, without a tokenizer. */

/** Characters per token in JSON and English. Other scripts count one token per character. Overestimates rather than underestimates. */
const ASCII_PER_TOKEN = 3.5;

export const estimateTokens = (text: string): number => {
  let ascii = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 128) ascii++;
  return Math.ceil(ascii / ASCII_PER_TOKEN + (text.length - ascii));
};

/** Estimates the tokens of unread text from its size. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / ASCII_PER_TOKEN);
