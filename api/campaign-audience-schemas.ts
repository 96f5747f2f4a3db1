import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { Tag } from '../domain/contacts/tags.ts';
import { Email, Id, tooLargeAudience } from './schemas.ts';

/** Addresses of an audience of people. */
export const MAX_PEOPLE = 10_000;

const TOO_MANY = tooLargeAudience(`at most ${MAX_PEOPLE} addresses in one campaign`);

const mode = <M extends string>(name: M) => z.literal(name).meta({ description: 'Who is meant' });

const Entire = z.strictObject({ mode: mode('entire') }).meta({ id: 'EntireAudience', description: 'All contacts' });
const OfSegment = z
  .strictObject({ mode: mode('segment'), segmentId: Id.meta({ description: 'Of a segment of the project' }) })
  .meta({ id: 'SegmentAudience', description: 'Who is in a segment when it is sent' });
const OfTag = z
  .strictObject({ mode: mode('tag'), tag: Tag.meta({ description: 'One that they carry' }) })
  .meta({ id: 'TagAudience', description: 'Who carries a tag' });

export const AudienceInput = z
  .discriminatedUnion(
    'mode',
    [
      Entire,
      OfSegment,
      OfTag,
      z
        .strictObject({
          mode: mode('people'),
          emails: boundedArray(Email, MAX_PEOPLE, TOO_MANY)
            .min(1, { error: 'at least one address' })
            .meta({ description: 'Unknown ones become contacts' }),
        })
        .meta({ id: 'PeopleAudience', description: 'The people of a list' }),
    ],
    // What is no object at all is refused as everywhere.
    { error: ({ code }) => (code === 'invalid_union' ? 'mode is one of entire, segment, tag and people' : undefined) },
  )
  .meta({
    id: 'Audience',
    description: 'Who is meant: all contacts, those of a segment, those with a tag, or the people of a list',
    examples: [
      { mode: 'entire' },
      { mode: 'segment', segmentId: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e11' },
      { mode: 'tag', tag: 'newsletter' },
      { mode: 'people', emails: ['ada@example.com', 'grace@example.com'] },
    ],
  });

export const AudienceShown = z
  .discriminatedUnion('mode', [
    Entire,
    OfSegment,
    OfTag,
    z
      .strictObject({
        mode: mode('people'),
        count: z
          .int()
          .min(0)
          .meta({ description: 'How many of them matched: the `audience_size`, which stays when one of them is erased' }),
      })
      .meta({ id: 'CountedPeopleAudience', description: 'The people of a list' }),
  ])
  .meta({
    id: 'CampaignAudience',
    description:
      'Whom it is for, as it was given; of the people of a list only how many they are. Of a draft that does not say it yet 0 people',
  });
