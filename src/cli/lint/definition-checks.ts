/** Checks of the host that `mooring lint` uses too: of text that looks like an attack, and of the tokens that a tool costs. */
import { estimateTokens } from '../../host/catalogue/tokens.ts';
import { definitionTexts } from '../../host/lock/definition-texts.ts';
import { findingSentence, inspect } from '../../host/text/inspect.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';

/** What honest text hardly ever has, each the end of a sentence. */
export const attacksIn = (definition: JsonObject): readonly string[] => [
  ...new Set(
    inspect(definitionTexts(definition).join(' . '))
      .filter(({ strong }) => strong)
      .map((finding) => findingSentence('', finding).trim()),
  ),
];

/** What a model gets to read of a tool, in every request that offers it. */
export const tokensOf = ({ name, description, inputSchema }: Tool): number =>
  estimateTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
