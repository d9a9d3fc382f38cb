/** The values in a completion request, and the URI that they expand to. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { TemplateValues } from './template-expression.ts';
import { UriTemplate } from './uri-template.ts';

/** The typed value and the values of the context, by name. */
export function completionValues({ argument, context }: JsonObject): JsonObject {
  const known = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  const { name, value } = isObject(argument) ? argument : ({} as JsonObject);
  return { ...known, ...(typeof name === 'string' ? { [name]: value } : {}) };
}

/** Expands a template with the values of a completion. Returns an invalid template unchanged. */
export function completedUri(template: string, values: JsonObject): string {
  try {
    return new UriTemplate(template).expand(values as TemplateValues); // expand() throws for other values, or writes them as text
  } catch {
    return template;
  }
}
