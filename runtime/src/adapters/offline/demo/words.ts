/** Words that say nothing about which tool is meant. */
const STOP_WORDS = new Set(
  (
    'a about all am an and any are as at be been but by can could did do does for from get give go had has have he her ' +
    'here him his how i if in into is it its just let like me my need no not now of off on or our out please she show so ' +
    'some tell than that the their them then there these they this those to tool up us use user want was we were what ' +
    'when where which who why will with would yes you your'
  ).split(' '),
);

/**
 * The distinct words of a text in a comparable form (OFF-05): split at punctuation and where the case changes,
 * lower-cased, without stop words, without plural, `-ing` and `-ed` endings.
 */
export function wordsOf(text: string): Set<string> {
  const spaced = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  const words = new Set<string>();
  for (const word of spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (!STOP_WORDS.has(word)) words.add(stem(word));
  }
  return words;
}

/**
 * Cuts an ending off. A final `e` and a doubled final letter go too, on both sides of a comparison, so that "shipping"
 * meets "ship" and "updated" meets "update".
 */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  const bare = word
    .replace(/ies$/, 'y')
    .replace(/(?<![suiy])s$/, '')
    .replace(/(?<=.{3})(?:ing|ed)$/, '');
  return bare.replace(/(?<=.{3})e$/, '').replace(/(\p{L})\1$/u, '$1');
}

/** The words of a name in reading order, lower-cased and whole: `orderId` is `order`, `id`. */
export function nameWords(name: string): string[] {
  return (
    name
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
