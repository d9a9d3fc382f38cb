/** How much of a model's context text takes, roughly. */

/** Of JSON and English, so many characters are a token; of most other scripts, one is. Rather too many than too few. */
const ASCII_PER_TOKEN = 3.5;

export const estimateTokens = (text: string): number => {
  let ascii = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 128) ascii++;
  return Math.ceil(ascii / ASCII_PER_TOKEN + (text.length - ascii));
};

/** Of text that was not read yet. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / ASCII_PER_TOKEN);
