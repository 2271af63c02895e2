import { LIMITS, SKILL_NAME_PATTERN } from '@flue/runtime/internal';

/** What a skill's validator says of a text that is written out (SKILL-02); nothing for a text that it takes. */
export const skillFieldProblem: Readonly<Record<string, (text: string) => string | undefined>> = {
  name: (text) => {
    if (text.length > LIMITS.skillNameChars) return `must have at most ${LIMITS.skillNameChars} characters`;
    return SKILL_NAME_PATTERN.test(text)
      ? undefined
      : 'must be lowercase letters and digits with single dashes';
  },
  description: atMost(LIMITS.skillDescriptionChars),
  compatibility: atMost(LIMITS.skillCompatibilityChars),
};

/** Characters are code points: an emoji is one. */
function atMost(limit: number) {
  return (text: string) =>
    [...text.trim()].length > limit ? `must have at most ${limit} characters` : undefined;
}
