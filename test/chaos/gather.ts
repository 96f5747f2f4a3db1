import { type Driver, reading } from './driver.ts';
import type { Call, CampaignSeen, DeliverySeen, EndpointSeen, EnrollmentSeen, SendSeen } from './observed.ts';
import { SEQUENCES, type World } from './world.ts';

/** What the API says at the end. */
export interface Gathered {
  readonly sends: readonly SendSeen[];
  readonly campaigns: readonly CampaignSeen[];
  readonly enrollments: readonly EnrollmentSeen[];
  readonly endpoints: readonly EndpointSeen[];
}

const AT_ONCE = 8;

/** Reads with a driver of its own, whose calls are no part of the load. */
export function createReader({ insist }: Pick<Driver, 'insist'>) {
  const read = async (path: string, mayBeGone = false): Promise<Call['answer']> => {
    const { status, answer } = await insist(reading(path));
    if (status === 404 && mayBeGone) return undefined;
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const all = async <T>(path: string, field: string, mayBeGone = false): Promise<T[]> => {
    const found: T[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await read(
        `${path}${path.includes('?') ? '&' : '?'}limit=250${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        mayBeGone,
      );
      if (page === undefined) return found;
      found.push(...page[field]);
      cursor = page.nextCursor ?? null;
      if (cursor === null) return found;
    }
  };
  return {
    /** What is still under way, in words; empty when nothing is. */
    async unsettled({ endpoints }: World): Promise<string[]> {
      const campaigns = await all<CampaignSeen>('/campaigns', 'campaigns');
      const open = campaigns.filter(({ status }) => !['sent', 'cancelled', 'failed'].includes(status)).length;
      const { sends } = await read('/sends?status=scheduled&limit=250');
      const left = [sends.length > 0 ? `${sends.length} scheduled mails` : '', open > 0 ? `${open} campaigns` : ''];
      for (const key of SEQUENCES) {
        const { enrollments } = await read(`/sequences/${key}/enrollments?status=active&limit=250`);
        if (enrollments.length > 0) left.push(`${enrollments.length} enrollments in ${key}`);
      }
      for (const { id, path } of endpoints) {
        const page = await read(`/webhooks/${id}/deliveries?status=pending&limit=250`, true);
        if (page?.deliveries.length > 0) left.push(`${page.deliveries.length} deliveries to ${path}`);
      }
      return left.filter((text) => text !== '');
    },
    async everything({ endpoints }: World): Promise<Gathered> {
      const sends = await all<SendSeen>('/sends', 'sends');
      const campaigns = await all<CampaignSeen>('/campaigns', 'campaigns');
      const contacts = new Map((await all<{ id: string; email: string }>('/contacts', 'contacts')).map(({ id, email }) => [id, email]));
      const ids = (await Promise.all(SEQUENCES.map((key) => all<{ id: string }>(`/sequences/${key}/enrollments`, 'enrollments')))).flat();
      const enrollments: EnrollmentSeen[] = [];
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const some = await Promise.all(ids.slice(start, start + AT_ONCE).map(({ id }) => read(`/enrollments/${id}`)));
        enrollments.push(...some.map(({ enrollment }) => ({ ...enrollment, email: contacts.get(enrollment.contact_id) ?? '' })));
      }
      const seen: EndpointSeen[] = [];
      for (const endpoint of endpoints)
        seen.push({ ...endpoint, deliveries: await all<DeliverySeen>(`/webhooks/${endpoint.id}/deliveries`, 'deliveries', true) });
      return { sends, campaigns, enrollments, endpoints: seen };
    },
  };
}
