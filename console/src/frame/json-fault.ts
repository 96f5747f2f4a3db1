import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

/** What people can do about it; of every other fault the place alone is told. */
const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'not a JSON word; put text and names in double quotes',
  InvalidNumberFormat: 'not a number',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a comma or }',
  CloseBracketExpected: 'expected a comma or ]',
  EndOfFileExpected: 'unexpected text after the end',
  InvalidCommentToken: 'JSON does not allow comments',
  UnexpectedEndOfString: 'the quoted text is not closed',
};

/**
 * Where a text stops being JSON and what is wrong there, like `Line 3, column 14: expected a comma`; undefined: it is JSON. The messages of
 * JSON.parse name the place in some browsers and for some faults only.
 */
export function jsonFault(text: string): string | undefined {
  let first: string | undefined;
  const onError = (code: ParseErrorCode, _offset: number, _length: number, line: number, column: number): void => {
    first ??= `Line ${line + 1}, column ${column + 1}: ${WORDS[printParseErrorCode(code)] ?? 'not valid JSON'}`;
  };
  visit(text, { onError }, { disallowComments: true });
  return first;
}
