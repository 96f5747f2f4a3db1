import { isStorableTime } from '../instant.ts';
import { SUPPRESSION_RULES, type SuppressionReason } from '../suppressions/suppression.ts';
import { CONTACT_STATUSES, type ContactInput, type ContactStatus, MAX_SOURCE_LENGTH, MAX_USER_AGENT_LENGTH } from './contact.ts';
import { normalizeEmail } from './email-address.ts';
import { byColumn, CONTACT_TEXT_COLUMNS, type ContactText, type ContactTextColumn, MAX_TEXT } from './fields.ts';
import type { ImportSettings, RowRefusal } from './import.ts';
import type { CellType, ColumnField } from './import-columns.ts';
import { isTag, TAG_RULE } from './tags.ts';

/** What one row says of a contact. An empty cell says nothing. */
export interface ImportedRow extends Omit<ContactInput, 'tags'> {
  /** They are added to those of the contact. */
  readonly tags: readonly string[];
  /** Its address is to get no mail at all. */
  readonly suppress?: SuppressionReason;
  /** When the person agreed, where the file knows. */
  readonly consentAt?: Date;
}

/** A row that is refused, and why. */
export interface RefusedRow {
  readonly reason: RowRefusal;
  readonly column: string | null;
  readonly message: string;
  /** Its address, where that can be read. */
  readonly email: string | null;
}

/** A cell that its field does not take. */
class CellProblem extends Error {
  readonly reason: RowRefusal;

  constructor(message: string, reason: RowRefusal = 'invalid_value') {
    super(message);
    this.reason = reason;
  }
}

/** A row as it is built up. */
type Draft = Partial<ImportedRow>;

const TEXTS = byColumn(CONTACT_TEXT_COLUMNS, (_, text) => text) as Readonly<Record<ContactTextColumn, ContactText>>;
/** What stands for bytes that could not be read. */
const UNREAD = '\uFFFD';
const YES = new Set(['true', 'yes', 'y', '1', 'on', 'subscribed']);
const NO = new Set(['false', 'no', 'n', '0', 'off', 'unsubscribed']);
const SHOWN = 60;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** An IPv6 address with an IPv4 one in it. */
const MAX_IP_LENGTH = 45;

/** The contact that a row is of, as the settings say; or why it is none. Every value is bounded before it is looked at closely. */
export function readRow(
  cells: readonly string[],
  settings: Pick<ImportSettings, 'columns' | 'tagSeparator' | 'tags'>,
): ImportedRow | RefusedRow {
  const { columns } = settings;
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    return {
      reason: 'too_many_cells',
      column: null,
      message: `it has ${cells.length} cells, and there are ${columns.length} columns`,
      email: addressIn(cells, columns),
    };
  const draft: Draft = { tags: settings.tags };
  let problem: Omit<RefusedRow, 'email'> | undefined;
  for (const [index, { name, field }] of columns.entries()) {
    const cell = cells[index];
    if (cell === undefined || field === null) continue;
    try {
      Object.assign(draft, said(draft, field, withoutGuard(cell), settings.tagSeparator));
    } catch (wrong) {
      if (!(wrong instanceof CellProblem)) throw wrong;
      problem ??= { reason: wrong.reason, column: name, message: wrong.message };
    }
  }
  const email = draft.email ?? null;
  if (problem) return { ...problem, email };
  return email === null ? { reason: 'email_missing', column: null, message: 'it has no address', email } : (draft as ImportedRow);
}

/** Where the address is known, the row goes with whose it is. */
function addressIn(cells: readonly string[], columns: ImportSettings['columns']): string | null {
  const cell = cells[columns.findIndex(({ field }) => field?.kind === 'email')];
  return cell === undefined ? null : (normalizeEmail(withoutGuard(cell).trim()) ?? null);
}

export function isRefused(row: ImportedRow | RefusedRow): row is RefusedRow {
  return 'reason' in row;
}

/** Exports write an apostrophe before what a spreadsheet would take for a formula. */
function withoutGuard(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** What a cell says beside what those before it have said. */
function said(draft: Draft, field: ColumnField, cell: string, tagSeparator: string): Draft {
  if (cell.includes(UNREAD)) throw new CellProblem('it is not UTF-8', 'not_utf8');
  if (cell.includes('\0')) throw new CellProblem('NUL characters are not possible');
  const text = cell.trim();
  if (text === '') return {};
  switch (field.kind) {
    case 'email':
      return { email: normalizeEmail(text) ?? refuse(`${shown(text)} is not a valid address`, 'email_invalid') };
    case 'text':
      return saidOfText(TEXTS[field.column], text);
    case 'status':
      return saidOfStatus(draft, text.toLowerCase());
    case 'suppressed':
      return saidOfSuppression(draft, text.toLowerCase());
    case 'source':
      return { source: bounded(text, MAX_SOURCE_LENGTH) };
    case 'tags':
      return { tags: [...new Set([...(draft.tags ?? []), ...tagsOf(text, tagSeparator)])] };
    case 'attribute':
      return { attributes: { ...draft.attributes, [field.name]: attributeOf(text, field.type) } };
    case 'topic':
      return { topics: { ...draft.topics, [field.key]: isYes(text.toLowerCase()) } };
    case 'consent.source':
      return { consent: { ...draft.consent, source: bounded(text, MAX_SOURCE_LENGTH) } };
    case 'consent.ip':
      return { consent: { ...draft.consent, ip: bounded(text, MAX_IP_LENGTH) } };
    case 'consent.user_agent':
      return { consent: { ...draft.consent, userAgent: bounded(text, MAX_USER_AGENT_LENGTH) } };
    case 'consent.at':
      return { consent: { ...draft.consent }, consentAt: timeOf(text) };
    default:
      return field satisfies never;
  }
}

function saidOfText({ name, form }: ContactText, text: string): Draft {
  if (form && !form.is(text)) throw new CellProblem(`${shown(text)} is ${form.error}`);
  return { [name]: bounded(text, MAX_TEXT) };
}

/** No cell takes back the "no" of another one. */
function saidOfStatus(draft: Draft, text: string): Draft {
  if (text === 'suppressed') return suppressedFor(draft, 'manual');
  const status = CONTACT_STATUSES.find((known) => known === text);
  if (!status) throw new CellProblem(`${shown(text)} is not ${[...CONTACT_STATUSES, 'suppressed'].join(', ')}`);
  return { status: strictest(draft.status, status) };
}

function saidOfSuppression(draft: Draft, text: string): Draft {
  const reason = (Object.keys(SUPPRESSION_RULES) as SuppressionReason[]).find((known) => known === text);
  if (reason) return suppressedFor(draft, reason);
  return isYes(text) ? suppressedFor(draft, 'manual') : {};
}

/** Some reasons also unsubscribe, as they do of POST /suppressions. */
function suppressedFor(draft: Draft, suppress: SuppressionReason): Draft {
  return SUPPRESSION_RULES[suppress].unsubscribes ? { suppress, status: strictest(draft.status, 'unsubscribed') } : { suppress };
}

/** What says "no" stays, whatever else a row says. */
function strictest(a: ContactStatus | undefined, b: ContactStatus): ContactStatus {
  return a === 'unsubscribed' || a === 'bounced' ? a : b;
}

function tagsOf(text: string, separator: string): string[] {
  const tags = text
    .split(separator)
    .map((tag) => tag.trim())
    .filter(Boolean);
  const wrong = tags.find((tag) => !isTag(tag));
  return wrong === undefined ? tags : refuse(`a tag has ${TAG_RULE}`);
}

function attributeOf(text: string, type: CellType): string | number | boolean {
  if (type === 'text') return text;
  if (type === 'boolean') return isYes(text.toLowerCase());
  const value = Number(text);
  if (!DECIMAL.test(text) || !Number.isFinite(value)) return refuse(`${shown(text)} is not a number`);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? refuse(`${shown(text)} has more digits than a number keeps`) : value;
}

function isYes(text: string): boolean {
  if (YES.has(text)) return true;
  return NO.has(text) ? false : refuse(`${shown(text)} is neither true nor false`);
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A day, or an instant; without an offset it is in UTC. */
function timeOf(text: string): Date {
  if (text.length > 40 || !ISO_TIME.test(text)) return refuse(`${shown(text)} is not a time like 2026-01-31 or 2026-01-31T12:00:00Z`);
  const iso = text.replace(' ', 'T');
  const at = new Date(iso.length > 10 && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso);
  const isDay = new Date(`${iso.slice(0, 10)}T00:00Z`).toJSON()?.startsWith(iso.slice(0, 10)) === true;
  return Number.isNaN(at.getTime()) || !isDay || !isStorableTime(at) ? refuse(`${shown(text)} is not a time`) : at;
}

function bounded(text: string, most: number): string {
  return text.length > most ? refuse(`at most ${most} characters`) : text;
}

function refuse(message: string, reason?: RowRefusal): never {
  throw new CellProblem(message, reason);
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
