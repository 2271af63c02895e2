/** The parts of JSON Schema that the demo model reads. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The one type a value is looked for under: of a nullable or a union, the first that is not `null`. */
export function plainSchema(schema: Schema): Schema {
  const variant = (schema.anyOf ?? schema.oneOf)?.find((candidate) => candidate.type !== 'null');
  return variant
    ? { ...plainSchema(variant), ...(schema.description && { description: schema.description }) }
    : schema;
}

export function typeOf(schema: Schema): string | undefined {
  return typeof schema.type === 'object' ? schema.type.find((type) => type !== 'null') : schema.type;
}

/** The closed list of values, if there is one. */
export function membersOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

/** Whether a value of the right type keeps the limits (OFF-08). */
export function keepsLimits(schema: Schema, value: unknown): boolean {
  if (typeof value === 'number') return keepsNumberLimits(schema, value);
  if (typeof value === 'string') return keepsStringLimits(schema, value);
  if (Array.isArray(value)) {
    return (
      value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY)
    );
  }
  return true;
}

function keepsNumberLimits(schema: Schema, value: number): boolean {
  return (
    value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (schema.maximum ?? Number.POSITIVE_INFINITY) &&
    value > (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value < (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) &&
    (schema.multipleOf === undefined || Number.isInteger(value / schema.multipleOf)) &&
    (typeOf(schema) !== 'integer' || Number.isInteger(value))
  );
}

function keepsStringLimits(schema: Schema, value: string): boolean {
  return (
    value.length >= (schema.minLength ?? 0) &&
    value.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY) &&
    (schema.pattern === undefined || matches(schema.pattern, value)) &&
    (schema.format === undefined ||
      FORMATS[schema.format] === undefined ||
      FORMATS[schema.format]!.whole.test(value))
  );
}

/** A pattern that this engine cannot compile excludes nothing: the tool validates again. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

const DATE = '\\d{4}-\\d{2}-\\d{2}';
const DATE_TIME = `${DATE}[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:[Zz]|[+-]\\d{2}:?\\d{2})?`;
const EMAIL = "[\\w.!#$%&'*+/=?^`{|}~-]+@[\\w-]+(?:\\.[\\w-]+)+";
const URI = '[a-z][a-z0-9+.-]*://[^\\s"\'<>`]*[^\\s"\'<>`.,;:!?)]';
const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';

/** How a format is found in a text, and how a whole value is checked against it. */
export const FORMATS: Readonly<Record<string, { readonly inText: RegExp; readonly whole: RegExp }>> = {
  email: format(EMAIL),
  uri: format(URI),
  url: format(URI),
  date: format(DATE, '(?![\\dTt])'),
  'date-time': format(DATE_TIME),
  uuid: format(UUID),
};

function format(source: string, after = '') {
  return {
    inText: new RegExp(`(?<![\\w.-])(${source})${after}`, 'giu'),
    whole: new RegExp(`^(?:${source})$`, 'iu'),
  };
}
