import type { ManifestSpan } from '@flue/runtime/internal';
import type { Span } from '../analysis/diagnostic.ts';

/** Lines and columns only: offsets differ between line endings (DET-05). */
export function manifestSpan({ line, column, endLine, endColumn }: Span): ManifestSpan {
  return { line, column, endLine, endColumn };
}
