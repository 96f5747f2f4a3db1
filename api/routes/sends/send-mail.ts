import * as z from 'zod';
import type { CampaignRow, SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { findCampaignById } from '../../../db/queries/campaigns/campaigns.ts';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { findSend } from '../../../db/queries/sends/send-log.ts';
import { listLanguages } from '../../../db/queries/templates/languages.ts';
import { publicationOf } from '../../../db/queries/templates/template-versions.ts';
import { findPublished, findTemplateSetting } from '../../../db/queries/templates/templates.ts';
import { armOf } from '../../../domain/campaigns/ab-test.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { NO_TEMPLATE } from '../../../domain/sends/send.ts';
import { DEFAULT_LANGUAGE } from '../../../domain/templates/languages.ts';
import { literalSubject } from '../../../domain/templates/own-content.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/send-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { addressOf, deadUnsubscribeUrl, entryOf, unlessInvalid } from '../../template-of-brand.ts';
import { PUBLICATION_MEANS, UNKNOWN_TEMPLATE } from '../templates/templates.ts';
import { SendPath } from './sends.ts';

const mail = defineRoute({
  method: 'get',
  path: '/sends/:id/mail',
  scope: 'sends:read',
  summary: 'Render an email again, as near to what was sent as is known',
  description:
    'Emails are not kept. One whose call brought its content is `not_found`. ' +
    'One of a campaign is made with the data of the campaign and the version that was published when it began; any other with no ' +
    'data and what is published now. It is for its contact when the key has contacts:read, and its unsubscribe link leads nowhere.',
  params: SendPath,
  status: 200,
  reply: z.object({
    subject: z.string().meta({ description: 'As it was sent; rendered again where it was not rendered then' }),
    html: z.string().meta({ description: 'The whole page' }),
    text: z.string().meta({ description: 'The same for programs that show no HTML' }),
    missing: z.array(z.string()).meta({ description: 'Paths that the email shows and that nothing is known for; they rendered empty' }),
    data: z
      .enum(['campaign', 'none'])
      .meta({ description: 'What it was made with: the data of its campaign, or none, since that of others is not kept' }),
    version: z.int().nullable().meta({ description: 'Of the content; null: as the template ships' }),
    publication: z
      .int()
      .nullable()
      .meta({ description: `${PUBLICATION_MEANS}. null: as the template ships` }),
    isCurrent: z.boolean().meta({ description: 'Whether that is what emails say now' }),
  }),
  errors: ['not_found', UNKNOWN_TEMPLATE, 'no_brand', 'invalid_content'],
  examples: examples.mail,
  async handle(context, { params }) {
    const { em, project, publicUrl, authoring, hasScope } = context;
    const send = (await findSend(em, project.id, params.id)) ?? notFound('send');
    if (send.template === NO_TEMPLATE)
      throw new Refusal('not_found', 'the call that sent this email brought its content, and content of calls is not kept');
    const entry = await entryOf(context, send.template);
    const brand = await brandOf(context, send.brand_id);
    const contact = send.contact_id && hasScope('contacts:read') ? await findContact(em, project.id, send.contact_id) : undefined;
    const at = addressOf(entry, brand);
    const campaign = await campaignOf(em, send);
    const languages = await listLanguages(em, at);
    const publishedIn = (tag: string) => languages.find(({ locale }) => locale === tag)?.published ?? undefined;
    const ofDefault = publishedIn(DEFAULT_LANGUAGE)?.version ?? null;
    const language = send.locale === null ? undefined : publishedIn(send.locale);
    const pinned = send.locale === null ? undefined : campaign?.languages[send.locale]?.version;
    // Of a campaign the one that it began with, else what its language, or the default, says now.
    const ofLanguage = campaign?.started_at ? pinned : language?.version;
    const version = ofLanguage ?? (campaign?.started_at ? campaign.published_version : ofDefault);
    // Those of a template that was deleted and made anew are gone.
    const shipped = (send.locale === null ? undefined : entry.languages?.[send.locale]) ?? entry;
    const found = version === null ? undefined : await findPublished(em, at, version);
    const content = found ?? shipped;
    const shown = found ? version : null;
    const setting = await findTemplateSetting(em, at);
    const { mail: rendered } = unlessInvalid(
      await authoring.preview(
        {
          template: { content: content.content, compiled: content.compiled },
          // What it was sent with is what its page names, too.
          subject: send.subject
            ? literalSubject(send.subject)
            : (campaign && subjectOf(campaign, send)) || language?.subject || setting?.subject || entry.subject,
          type: send.type,
          variables: mailVariables({
            data: campaign?.data ?? {},
            contact,
            brand,
            recipientEmail: send.to_email,
            unsubscribeUrl: deadUnsubscribeUrl(publicUrl, send.type),
            now: send.opened_at,
          }),
        },
        project.id,
      ),
    );
    const shownIn = ofLanguage === undefined ? undefined : (send.locale ?? undefined);
    return {
      ...rendered,
      subject: send.subject || rendered.subject,
      data: campaign ? ('campaign' as const) : ('none' as const),
      version: shown,
      publication: shown === null ? null : await publicationOf(em, { ...at, locale: shownIn }, shown),
      isCurrent: shown === (language?.version ?? ofDefault),
    };
  },
});

async function campaignOf(em: EntityManager, { project_id, source_type, source_id }: SendRow): Promise<CampaignRow | undefined> {
  const campaign = source_type === 'campaign' && source_id ? await findCampaignById(em, source_id) : undefined;
  return campaign?.project_id === project_id ? campaign : undefined;
}

function subjectOf({ subject, variants }: CampaignRow, { variant }: SendRow): string {
  return variants?.find(({ key }) => variant !== null && key === armOf(variant).key)?.subject ?? subject;
}

export const routes: readonly Route[] = [mail];
