/** Letters that are more than one with marks; of the others the marks are left out. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'o', œ: 'oe' },
  ...{ ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ŋ: 'n' },
};

/** A key for programs made of a name for people: what both sequences and templates take, or '' when nothing of the name can be part of one. */
export function keyOf(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
}
