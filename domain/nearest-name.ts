import { closestMatch } from 'leven';

/** Nobody's field is longer; of a longer name nothing is near. */
const MAX_LENGTH = 64;
/** Of more names, as of a project's many templates, the rest is passed over. */
const MAX_KNOWN = 50;
const MAX_TOLD = 30;
/** A shorter beginning is shared by chance. */
const MIN_SHARED = 4;

/** What other services call it, too far from the name to be a typo of it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  scheduledat: 'sendAt',
  scheduleat: 'sendAt',
  deliveryat: 'sendAt',
  sendtime: 'sendAt',
};

/**
 * The known name that was probably meant: the same but for case, `_` and `-`, a typo away, or one of the two begins with the other.
 * undefined when none is near. The work is bounded, whatever the name is.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const given = plain(name);
  const elsewhere = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : undefined;
  if (elsewhere !== undefined && known.includes(elsewhere)) return elsewhere;
  const bySpelling = new Map(known.slice(0, MAX_KNOWN).map((each) => [plain(each), each]));
  const spellings = [...bySpelling.keys()];
  const near =
    closestMatch(given, spellings, { maxDistance: Math.min(3, Math.floor((given.length + 1) / 3)) }) ??
    spellings.find((each) => Math.min(each.length, given.length) >= MIN_SHARED && (each.startsWith(given) || given.startsWith(each)));
  return near === undefined ? undefined : bySpelling.get(near);
}

/** What to say of a name that is none of the known: `did you mean firstName?`, else `known: email, id`. */
export function insteadOf(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  const told = known.slice(0, MAX_TOLD).join(', ') + (known.length > MAX_TOLD ? ', …' : '');
  return known.length > 0 ? `known: ${told}` : 'there are none';
}

/** Whether two names are the same but for case, `_` and `-`. */
export function isSameName(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
