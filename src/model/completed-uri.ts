/** What a completion is about: the values that are known so far, and the URI that they lead to. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { TemplateValues } from './template-expression.ts';
import { UriTemplate } from './uri-template.ts';

/** The value that is typed, and those of the context, by their names. */
export function completionValues({ argument, context }: JsonObject): JsonObject {
  const known = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  const { name, value } = isObject(argument) ? argument : ({} as JsonObject);
  return { ...known, ...(typeof name === 'string' ? { [name]: value } : {}) };
}

/** The template with the values of a completion in it. Text that is no template stays as it is. */
export function completedUri(template: string, values: JsonObject): string {
  try {
    return new UriTemplate(template).expand(values as TemplateValues); // of other values it throws, or writes them as text
  } catch {
    return template;
  }
}
