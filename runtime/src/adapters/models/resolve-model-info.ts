import type { ModelInfo } from '../../ports/model-gateway.ts';
import { OFFLINE_PROVIDER, offlineModelInfo } from '../offline/offline-models.ts';
import type { Catalog } from '../pi-ai/catalog.ts';
import { parseSpecifier } from './specifier.ts';

let catalog: Catalog | undefined;

/**
 * What a specifier names, against the registrations of this process, without any request or credential (SPEC-12).
 * Rejects with `InvalidModelSpecifierError`, `UnknownProviderError`, `UnknownModelError` or `UnknownProviderApiError`.
 * The promise is there because the catalog is loaded on first use.
 */
export async function resolveModelInfo(specifier: string): Promise<ModelInfo> {
  const parsed = parseSpecifier(specifier);
  if (parsed.provider === OFFLINE_PROVIDER) return offlineModelInfo(parsed);
  const { createCatalog, infoOf } = await import('../pi-ai/catalog.ts');
  catalog ??= createCatalog({});
  return infoOf(await catalog.find(parsed));
}
