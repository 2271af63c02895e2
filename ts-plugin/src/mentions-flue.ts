import type ts from 'typescript';

/** The directive in any spelling that a rule explains, or an import of ours; the same in every host (RULE-01). */
const MENTION = /use[\s_-]{0,16}agent|@flue\/runtime/i;

const answers = new WeakMap<ts.SourceFile, boolean>();

/** Whether a file may concern us. Each version of a file is a tree of its own and is searched once (PERF-11). */
export function mentionsFlue(tree: ts.SourceFile): boolean {
  let answer = answers.get(tree);
  if (answer === undefined) {
    answer = MENTION.test(tree.text);
    answers.set(tree, answer);
  }
  return answer;
}
