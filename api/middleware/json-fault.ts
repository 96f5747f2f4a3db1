import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

/** In a longer text the place is not looked for: finding it reads the text once more. */
const MAX_LENGTH = 256 * 1024;

/** Where a text stops being JSON and why, like `at line 3, column 14: comma expected`; undefined when that is not known. */
export function jsonFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    visit(text, { onError: (code, _offset, _length, line, column) => throwFault(code, line, column) }, { disallowComments: true });
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return undefined;
}

/** The first is enough. */
class Fault extends Error {}

function throwFault(code: ParseErrorCode, line: number, column: number): never {
  const words = printParseErrorCode(code).replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  throw new Fault(`at line ${line + 1}, column ${column + 1}: ${words.toLowerCase()}`);
}
