import type { Issue } from '../api.ts';

/** A path like `blocks[2].type`, in parts. */
export type Path = readonly (string | number)[];

/** Where a value stands in a file. */
export interface Spot {
  /** Undefined: it is about the whole file. */
  readonly line: number | undefined;
  /** Whether that is the line of the value's text that was asked for. */
  readonly isWithin: boolean;
  /** What the value is called there; empty where the line says it. */
  readonly name: string;
}

/** A file with what says where its values stand. */
export interface Source {
  readonly file: string;
  /** Of a value, or of what is nearest around it; `within`: of this line of its text, from 1 on. */
  spotOf(path: Path, within?: number): Spot;
}

/** What the server says of a file, with the place in it. */
export interface PlacedIssue extends Issue {
  readonly file?: string;
  readonly line?: number;
}

/** The same with its words: `path:line: what`. */
export interface Placed {
  readonly issue: PlacedIssue;
  readonly words: string;
}

const LINE_OF_TEXT = /^line (\d+)[,:] /;

/** What an issue is in its file. `path`: of the value there that it is about; `called`: in place of what the file calls that. */
export function placed(issue: Issue, { file, spotOf }: Source, path: Path, called?: string): Placed {
  const [said = '', number] = LINE_OF_TEXT.exec(issue.message) ?? [];
  const { line, isWithin, name: own } = spotOf(path, number === undefined ? undefined : Number(number));
  const name = called ?? own;
  const message = isWithin ? issue.message.slice(said.length) : issue.message;
  return {
    issue: { ...issue, message, file, ...(line !== undefined && { line }) },
    words: `${file}:${line === undefined ? '' : `${line}:`} ${name === '' ? '' : `${name}: `}${message}`,
  };
}

/** One that is about no file. */
export function unplaced(issue: Issue): Placed {
  const where = issue.path || issue.nodeId;
  return { issue, words: `${where ? `${where}: ` : ''}${issue.message}` };
}

/** The parts of a path as issues write it. */
export function pathParts(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)));
}

/** The same the other way. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part), '');
}
