import type ts from 'typescript';
import type { TypeScript } from '../../analysis/host.ts';
import { attempt, NotStatic, raise } from './not-static.ts';

/** How the parts of a literal are read: `S` is what an evaluation carries along. */
export interface PartReader<S> {
  visit(node: ts.Expression, scope: S): unknown;
  identifier(node: ts.Identifier, scope: S): unknown;
  /** a method or accessor: that it is there is known, what it does is not needed */
  readonly method: unknown;
}

export interface LiteralReader<S> {
  regularExpression(text: string): RegExp;
  template(node: ts.TemplateExpression, scope: S): string;
  objectLiteral(node: ts.ObjectLiteralExpression, scope: S): object;
  /** of an array literal or of a call */
  list(elements: readonly ts.Expression[], scope: S): unknown[];
  propertyName(name: ts.PropertyName, scope: S): string;
  computedKey(node: ts.Expression, scope: S): string;
}

/** Composite literals: templates, objects, arrays and their spreads (RULE-28). */
export function createLiteralReader<S>(api: TypeScript, read: PartReader<S>): LiteralReader<S> {
  return { regularExpression, template, objectLiteral, list, propertyName, computedKey };

  function regularExpression(text: string): RegExp {
    const end = text.lastIndexOf('/');
    try {
      return new RegExp(text.slice(1, end), text.slice(end + 1));
    } catch {
      throw new NotStatic('not-literal');
    }
  }

  function template(node: ts.TemplateExpression, scope: S): string {
    const parts = node.templateSpans.map((span) => {
      const value = read.visit(span.expression, scope);
      if (typeof value === 'object' || typeof value === 'function') throw new NotStatic('not-literal');
      return `${String(value)}${span.literal.text}`;
    });
    return node.head.text + parts.join('');
  }

  /** A member that is not static spoils only those who read it: `defineTool({ input, name: env.NAME }).input` is static. */
  function objectLiteral(node: ts.ObjectLiteralExpression, scope: S): object {
    const result = {};
    const define = (key: string, read: () => unknown) => {
      const settled = attempt(read);
      const content = 'error' in settled ? { get: () => raise(settled.error) } : { value: settled.value };
      Object.defineProperty(result, key, { ...content, enumerable: true, configurable: true });
    };
    for (const property of node.properties) {
      if (api.isSpreadAssignment(property)) {
        const source = spread(property.expression, scope);
        for (const key of Object.keys(source)) define(key, () => source[key]);
      } else if (api.isPropertyAssignment(property)) {
        define(propertyName(property.name, scope), () => read.visit(property.initializer, scope));
      } else if (api.isShorthandPropertyAssignment(property)) {
        define(property.name.text, () => read.identifier(property.name, scope));
      } else {
        define(propertyName(property.name, scope), () => read.method);
      }
    }
    return result;
  }

  function spread(node: ts.Expression, scope: S): Record<string, unknown> {
    const settled = attempt(() => read.visit(node, scope));
    if ('error' in settled) {
      throw settled.error.reason === 'not-literal' ? new NotStatic('unknown-spread') : settled.error;
    }
    const { value } = settled;
    if (value === undefined || value === null || value === false) return {};
    if (!isPlainObject(value)) throw new NotStatic('unknown-spread');
    return value;
  }

  function propertyName(name: ts.PropertyName, scope: S): string {
    if (api.isIdentifier(name) || api.isStringLiteralLike(name)) return name.text;
    if (api.isNumericLiteral(name)) return String(Number(name.text));
    if (api.isComputedPropertyName(name)) return computedKey(name.expression, scope);
    throw new NotStatic('computed-key');
  }

  function computedKey(node: ts.Expression, scope: S): string {
    const settled = attempt(() => read.visit(node, scope));
    const key = 'value' in settled ? settled.value : undefined;
    if (typeof key === 'string' || typeof key === 'number') return String(key);
    throw new NotStatic('computed-key');
  }

  function list(elements: readonly ts.Expression[], scope: S): unknown[] {
    return elements.flatMap((element) => {
      if (!api.isSpreadElement(element)) return [read.visit(element, scope)];
      const value = read.visit(element.expression, scope);
      if (!Array.isArray(value)) throw new NotStatic('unknown-spread');
      return value;
    });
  }
}

/** Not a module's namespace, an array or a library's instance: their members are not what they look like. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
