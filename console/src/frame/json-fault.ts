import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

/** What people can do about it; of every other fault the place alone is told. */
const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no word of JSON; texts and names stand in double quotes',
  InvalidNumberFormat: 'this is no number',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a comma or } is missing',
  CloseBracketExpected: 'a comma or ] is missing',
  EndOfFileExpected: 'the text goes on after its end',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'the text in quotes does not end',
};

/**
 * Where a text stops being JSON and what is wrong there, like `Line 3, column 14: a comma is missing`; undefined: it is JSON. The messages of
 * JSON.parse name the place in some browsers and for some faults only.
 */
export function jsonFault(text: string): string | undefined {
  let first: string | undefined;
  const onError = (code: ParseErrorCode, _offset: number, _length: number, line: number, column: number): void => {
    first ??= `Line ${line + 1}, column ${column + 1}: ${WORDS[printParseErrorCode(code)] ?? 'this is no JSON'}`;
  };
  visit(text, { onError }, { disallowComments: true });
  return first;
}
