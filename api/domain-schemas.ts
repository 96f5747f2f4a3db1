import * as z from 'zod';
import { DKIM_ALGORITHMS, RECORD_ACTIONS } from '../domain/domains/key-turns.ts';
import { RECORD_PURPOSES } from '../domain/domains/records.ts';
import { GRACE_MS, STANDINGS } from '../domain/domains/standing.ts';
import { RampSteps } from '../domain/sends/ramp-steps.ts';
import { shownPeriod } from '../domain/shown-text.ts';
import { Timestamp } from './schemas.ts';

export const RampInput = z
  .object({
    steps: RampSteps.meta({
      description:
        'Emails of its first day with email, of its second, and so on; after the last there is no limit. Doubled from 50 on when omitted',
    }),
  })
  .meta({ id: 'DomainRampInput', description: 'How many emails of campaigns may go from a domain a day, as receivers come to know it' });

export const SendingDomainRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    domain: z.string().meta({ description: 'In ASCII. Senders may be on it and on its subdomains once it is verified' }),
    verified: z.boolean().meta({ description: 'Whether mail may be from it: it proves itself by DNS, or an operator vouches for it' }),
    vouched: z.boolean().meta({ description: 'Whether an operator vouches for it (`domain verify`): it stays verified whatever DNS says' }),
    standing: z.enum(STANDINGS).meta({
      description:
        'By DNS alone. pending: a required record is missing; verified: all are found; failing: one has gone since, and the domain stays verified ' +
        `for ${shownPeriod(GRACE_MS)}`,
    }),
    failing_since: Timestamp.nullable().meta({ description: 'When a check missed a record first; null unless it is failing' }),
    checked_at: Timestamp.nullable().meta({ description: 'When DNS was asked last; null: never' }),
    ed25519: z.boolean().meta({ description: 'Whether its mail is to be signed by Ed25519 as well' }),
    ramp: z
      .object({
        steps: z.array(z.number()).meta({ description: 'Emails of campaigns on its first day with email, on its second, and so on' }),
        day: z.int().meta({ description: 'Which of its days today is: one more than the days before on which email went from it' }),
        allowance: z.int().nullable().meta({ description: 'Of today; null: it has been through its steps, and there is no limit' }),
        used: z.int().min(0).meta({
          description:
            'Emails of today, of campaigns and others. Processes take some in advance, at most 1 % of the allowance each time, and give back within seconds what they did not need',
        }),
        resets_at: Timestamp.meta({ description: 'When its next day begins: 00:00 UTC' }),
      })
      .meta({ id: 'DomainRamp', description: 'How far a domain is on its daily ramp' })
      .nullable()
      .meta({ description: 'How many emails of campaigns may go from it and its subdomains today; null: as many as there are' }),
    created_at: Timestamp.meta({ description: 'When it was added' }),
  })
  .meta({ id: 'SendingDomain', description: 'A domain that email is sent from' });

const DomainRecord = z
  .object({
    purpose: z.enum(RECORD_PURPOSES).meta({
      description:
        'ownership: the domain is yours; dkim: a key for its mail; spf: who may send for it; dmarc: what receivers do with fakes; ' +
        'tracking: a host of the domain for the links in its mail',
    }),
    type: z.enum(['TXT', 'CNAME']).meta({ description: 'The type of the record' }),
    name: z.string().meta({ description: 'The whole name; many hosts of DNS want it without the domain at the end' }),
    value: z.string().meta({ description: 'What to set, in one piece: a host of DNS splits it after 255 characters by itself' }),
    required: z.boolean().meta({ description: 'Whether the domain is verified only with it' }),
    action: z.enum(RECORD_ACTIONS).meta({
      description:
        'set: it is to stand there; keep: its key signs no more, but mail is under way that it has signed, so leave it until `keep_until`; ' +
        'remove: nobody needs it any more, and it can be taken away',
    }),
    keep_until: Timestamp.nullable().meta({ description: 'Until when a record with `action` keep is to stand; null of others' }),
    algorithm: z.enum(DKIM_ALGORITHMS).nullable().meta({ description: 'Of the key of a `dkim` record; null of others' }),
    signs: z.boolean().nullable().meta({ description: 'Whether mail is signed by the key of a `dkim` record now; null of others' }),
    state: z
      .enum(['unchecked', 'found', 'missing', 'wrong'])
      .meta({ description: 'What the last answer of DNS had. wrong: something else stands there' }),
    found: z.array(z.string()).meta({ description: 'What stood there' }),
    problem: z.string().nullable().meta({ description: 'For people: what is wrong and what to do; null when nothing is' }),
    unavailable: z
      .string()
      .nullable()
      .meta({ description: 'Why DNS gave no answer the last time, so that the rest is what it said before; null when it did' }),
    checked_at: Timestamp.nullable().meta({ description: 'When DNS answered last; null: never' }),
  })
  .meta({ id: 'DomainRecord', description: 'A DNS record to set for a sending domain, and what was found of it' });

export const DomainWithRecords = SendingDomainRecord.extend({
  records: z.array(DomainRecord).meta({
    description: 'Its records, each with what to do with it; empty for a domain of an operator that was not added by POST /domains yet',
  }),
  next_check_at: Timestamp.nullable().meta({
    description: 'When Everpost asks DNS again by itself; null before the first time, which is at once, and where there are no records',
  }),
}).meta({ id: 'SendingDomainWithRecords', description: 'A domain that email is sent from, and its DNS records' });
