import type { Output } from '../output.ts';

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Beyond so many lines on a side the longest common part is not looked for. */
const MOST_LINES = 3_000;
const CONTEXT = 3;

/** How two texts differ, line by line. */
export function lineDifference(before: string, after: string): Line[] {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const now = after === '' ? [] : after.replace(/\n$/, '').split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...old.slice(0, head).map(same),
    ...changes(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

function changes(old: readonly string[], now: readonly string[]): Line[] {
  const gone = (text: string): Line => ({ mark: '-', text });
  const come = (text: string): Line => ({ mark: '+', text });
  if (old.length > MOST_LINES || now.length > MOST_LINES) return [...old.map(gone), ...now.map(come)];
  // Row by row from the end: how long the longest common part of the rests is.
  const width = now.length + 1;
  const longest = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i] === now[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ mark: ' ', text: old[i] ?? '' });
      i++;
      j++;
    } else if (j === now.length || (i < old.length && (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)))
      lines.push(gone(old[i++] ?? ''));
    else lines.push(come(now[j++] ?? ''));
  }
  return lines;
}

/** What changed, with a few lines around it; in colors where `paint` has some. */
export function shownDifference(before: string, after: string, paint: Output['paint'] = (_, text) => text): string[] {
  const lines = lineDifference(before, after);
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== ' '));
  return lines.flatMap(({ mark, text }, at) => {
    if (!isNear[at]) return isNear[at - 1] ? [paint('dim', '  …')] : [];
    const line = `${mark} ${text.replace(/[^\P{Cc}\t]/gu, '\ufffd')}`;
    return [mark === '-' ? paint('red', line) : mark === '+' ? paint('green', line) : line];
  });
}
