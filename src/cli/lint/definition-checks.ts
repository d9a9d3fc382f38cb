/** Wraps two checks of the host for `mooring lint`: prompt-injection patterns, and token estimates. */
import { estimateTokens } from '../../host/catalogue/tokens.ts';
import { definitionTexts } from '../../host/lock/definition-texts.ts';
import { findingSentence, inspect } from '../../host/text/inspect.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';

/** Strong signs of prompt injection, each as a predicate ("tells a model to …"). */
export const attacksIn = (definition: JsonObject): readonly string[] => [
  ...new Set(
    inspect(definitionTexts(definition).join(' . '))
      .filter(({ strong }) => strong)
      .map((finding) => findingSentence('', finding).trim()),
  ),
];

/** Estimated tokens of a tool definition in a model request. */
export const tokensOf = ({ name, description, inputSchema }: Tool): number =>
  estimateTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
