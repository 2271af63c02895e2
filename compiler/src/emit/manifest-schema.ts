import { canonicalJson, ManifestSchema } from '@flue/runtime/internal';
import { toJsonSchema } from '@valibot/to-json-schema';

/** The text of `@flue/compiler/manifest.schema.json`, derived from the schema that both sides read with (MAN-01). */
export function manifestJsonSchema(): string {
  const schema = toJsonSchema(ManifestSchema, { target: 'draft-2020-12', typeMode: 'input' });
  return canonicalJson({ title: 'Flue manifest', ...schema });
}
