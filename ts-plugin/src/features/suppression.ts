import type { Diagnostic, Fix, TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';

/** What no comment silences: broken files, suppressions themselves, and what concerns several files (RULE-31). */
const BEYOND_COMMENTS = /^FLUE(?:5001|5007|5008|1102|1103|1107)$/;

/** Silences a finding by a comment above the code it is in, with the place for a reason (RULE-30, RULE-36). */
export function suppressionOf(
  api: TypeScript,
  { code, span }: Diagnostic,
  file: ts.SourceFile,
  newLine: string,
): Fix | undefined {
  const above = BEYOND_COMMENTS.test(code) ? undefined : lineOfItsOwn(api, file, span.start);
  if (above === undefined) return undefined;
  const comment = `// flue-ignore ${code} -- reason${newLine}${above.indent}`;
  const edit = { path: span.path, start: above.start, end: above.start, text: comment };
  return { title: `Ignore ${code} here, with a reason`, safe: false, edits: [edit] };
}

/**
 * The innermost statement, member or property around a position that is the first on its line. Nothing less will do:
 * any other line may begin inside a template, where a comment would be text.
 */
function lineOfItsOwn(
  api: TypeScript,
  file: ts.SourceFile,
  position: number,
): { readonly start: number; readonly indent: string } | undefined {
  let innermost: { readonly start: number; readonly indent: string } | undefined;
  const visit = (node: ts.Node): void => {
    const start = node.getStart(file);
    if (position < start || position >= node.end) return;
    const indent = indentBefore(file.text, start);
    if (indent !== undefined && canFollowComment(api, node)) innermost = { start, indent };
    api.forEachChild(node, visit);
  };
  api.forEachChild(file, visit);
  return innermost;
}

/** The white space between the start of the line and `position`, or `undefined` when there is more than that. */
function indentBefore(text: string, position: number): string | undefined {
  const before = /[^\n\r\u2028\u2029]*$/.exec(text.slice(0, position))![0];
  return before.trim() === '' ? before : undefined;
}

function canFollowComment(api: TypeScript, node: ts.Node): boolean {
  const { parent } = node;
  const isStatement = api.isSourceFile(parent) || api.isBlock(parent) || api.isModuleBlock(parent);
  return isStatement || api.isClassElement(node) || api.isObjectLiteralElementLike(node);
}
