import { asFailure } from '../../api/failure.ts';
import { fieldWords } from '../templates/data-fields.tsx';
import { PLACEHOLDER, STILL_PLACEHOLDER } from '../templates/placeholder.ts';
import { warningWords } from '../templates/preview-notes.tsx';
import { type CampaignDraft, sameVariants } from './campaign-draft.ts';
import type { CampaignPreviews } from './campaign-previews.ts';
import { FEWEST_SENT } from './variant-difference.ts';

interface Known {
  /** Its template is. */
  readonly isOff: boolean;
  readonly previews: CampaignPreviews['previews'];
  /** undefined while they are counted. */
  readonly recipients: number | undefined;
}

/** What is wrong with a campaign that its page tells in several places, for the last look before it goes. How colors are read is a matter of taste. */
export function launchWarnings(draft: CampaignDraft, { isOff, previews, recipients }: Known): readonly string[] {
  const same = sameVariants(draft);
  const found = new Set([
    ...(isOff ? [TEMPLATE_OFF] : []),
    ...(same.length > 0 ? [sameSubjectWords(same)] : []),
    ...tooFewWords(draft, recipients),
    ...(previews.some(({ data }) => data?.text.includes(PLACEHOLDER)) ? [STILL_PLACEHOLDER] : []),
    ...previews.flatMap(({ error }) => (error ? renderFault(error) : [])),
  ]);
  // Each once, however many variants have it.
  const told = new Set<string>();
  for (const [place, { data: preview }] of previews.entries()) {
    for (const { path, message } of preview?.warnings ?? []) {
      if (told.has(message) || path.endsWith('.color')) continue;
      told.add(message);
      found.add(warningWords(place === 0 ? dataWords(path) : `Variant ${draft.variants[place]?.key}`, message));
    }
  }
  return [...found];
}

export const TEMPLATE_OFF = 'This template is off for this brand';

/** Of variants whose mails are the same, by their keys. */
export function sameSubjectWords(keys: readonly string[]): string {
  return `Variants ${keys.join(', ')} have the same subject, so there is nothing to compare.`;
}

/** Of a test that can come to nothing: told before it goes, since afterwards it is too late. */
function tooFewWords({ variants, testBy, testShare }: CampaignDraft, recipients: number | undefined): string[] {
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0);
  if (recipients === undefined || weights <= 0 || testBy === 'hand') return [];
  const ofOne = testBy === 'none' ? Math.min(...variants.map(({ weight }) => weight)) / weights : (testShare ?? 0) / 100;
  const fewest = Math.floor(recipients * ofOne);
  if (fewest >= FEWEST_SENT) return [];
  const about = fewest === 0 ? 'hardly any' : `about ${fewest.toLocaleString('en')}`;
  return [
    `Too few recipients to compare variants: each needs at least ${FEWEST_SENT} emails, and one would get ${about}${testBy === 'none' ? '' : ', so the default would go to the rest'}.`,
  ];
}

/** What is wrong with the mail itself; that it could not be asked for is none of that. */
function renderFault(error: unknown): string[] {
  const { kind, message } = asFailure(error);
  return kind === 'input' ? [`The email cannot be rendered: ${message}`] : [];
}

const OF_DATA = 'data.';

function dataWords(path: string): string | undefined {
  return path.startsWith(OF_DATA) ? fieldWords(path.slice(OF_DATA.length)) : undefined;
}
