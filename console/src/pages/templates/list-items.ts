import { isObject } from '../../json.ts';

/** What a list holds, as its sample shows it: a text or number or choice, or an object of such members. */
export interface Member {
  /** '' for the item itself, where it is no object. */
  readonly name: string;
  readonly kind: 'text' | 'number' | 'choice';
  /** Whether the sample has one that needs more than a line. */
  readonly isLong: boolean;
}

export type Item = string | number | boolean | { readonly [name: string]: unknown };

/** Of letters: what is longer gets a line of its own, with room for more than one. */
export const LONG_TEXT = 48;

/** Undefined where the sample says nothing about the items, or holds what no field can show. */
export function membersOf(sample: unknown): readonly Member[] | undefined {
  if (!Array.isArray(sample) || sample.length === 0) return undefined;
  if (sample.every(isPlain)) return [memberOf('', sample)];
  if (!sample.every(isObject)) return undefined;
  const names = [...new Set(sample.flatMap((item) => Object.keys(item)))];
  const members = names.map((name) => ({
    name,
    values: sample.map((item) => ownValue(item, name)).filter((value) => value !== undefined),
  }));
  if (names.length === 0 || !members.every(({ values }) => values.every(isPlain))) return undefined;
  return members.map(({ name, values }) => memberOf(name, values));
}

function memberOf(name: string, values: readonly unknown[]): Member {
  const all = (type: string): boolean => values.every((value) => typeof value === type);
  const kind = all('number') ? 'number' : all('boolean') ? 'choice' : 'text';
  return { name, kind, isLong: values.some((value) => typeof value === 'string' && value.length > LONG_TEXT) };
}

/** The items of a list that is written in JSON; undefined where they are not what the members say, so that only JSON shows them. */
export function itemsIn(json: string, members: readonly Member[]): readonly Item[] | undefined {
  if (json.trim() === '') return [];
  try {
    const items: unknown = JSON.parse(json);
    return Array.isArray(items) && items.every((item) => isShown(item, members)) ? items : undefined;
  } catch {
    return undefined;
  }
}

function isShown(item: unknown, members: readonly Member[]): item is Item {
  if (!isObject(item)) return members[0]?.name === '' && isOfKind(item, members[0]);
  return Object.entries(item).every(([name, value]) => members.some((member) => member.name === name && isOfKind(value, member)));
}

function isOfKind(value: unknown, { kind }: Member): boolean {
  return kind === 'choice' ? typeof value === 'boolean' : isPlain(value);
}

/** '' where there is no list: nothing is sent then. */
export function jsonOfItems(items: readonly Item[]): string {
  return items.length === 0 ? '' : JSON.stringify(items, null, 2);
}

export function newItem(members: readonly Member[]): Item {
  if (members[0]?.name !== '') return {};
  return members[0].kind === 'choice' ? false : '';
}

/** As it is typed; '' where it is not given. */
export function memberText(item: Item, { name }: Member): string {
  const value = isObject(item) ? ownValue(item, name) : item;
  return value === undefined ? '' : String(value);
}

/** The item with what was typed. A number that is none stays a text, and a member of an object that is empty is left out. */
export function withMember(item: Item, { name, kind }: Member, text: string): Item {
  const value = kind === 'choice' ? text === 'true' : kind === 'number' && isNumber(text) ? Number(text) : text;
  if (!isObject(item)) return value;
  const others = Object.entries(item);
  const at = others.findIndex(([other]) => other === name);
  const given: [string, unknown][] = text === '' ? [] : [[name, value]];
  return Object.fromEntries(at === -1 ? [...others, ...given] : others.toSpliced(at, 1, ...given));
}

/** Whether it says the same when it is a number: a zero in front, and a point that more digits follow, would be lost. */
function isNumber(text: string): boolean {
  return text.trim() !== '' && String(Number(text)) === text;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function ownValue(item: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}
