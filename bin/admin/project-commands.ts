import { v7 as uuidv7 } from 'uuid';
import type { SendingDomainRow } from '../../db/entities/index.ts';
import { violatedUnique } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { listSendingDomains, setSendingDomain, vouchForDomain } from '../../db/queries/domains/sending-domains.ts';
import { findProjectBySlug, listProjects, type ProjectRecord } from '../../db/queries/projects/administration.ts';
import { listBrands, setBrand } from '../../db/queries/projects/brands.ts';
import { readProjectSecrets, rotateProjectSecrets } from '../../db/queries/projects/project-secrets.ts';
import { createProject } from '../../db/queries/projects/projects.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { type AdminContext, type Command, type OptionTypes, text, WrongUsage } from './command.ts';
import { AdminError, colorOf, domainOf, emailOf, nameOf, onOrOff, postalAddressOf, slugOf, urlOf } from './values.ts';

/** Throws when there is no project of this slug. */
export async function projectOf(em: EntityManager, slug: string | undefined): Promise<ProjectRecord> {
  const project = await findProjectBySlug(em, slug ?? '');
  if (!project) throw new AdminError(`no project has the slug "${slug}"`);
  return project;
}

const createOptions = {
  name: 'string',
  from: 'string',
  'from-name': 'string',
  'no-brand': 'boolean',
  'owner-unverified': 'boolean',
} as const;

const create: Command = {
  name: 'project create',
  args: ['slug'],
  options: createOptions,
  usage: '[--name N] [--from a@b] [--from-name N] [--no-brand] [--owner-unverified]',
  remark: 'inboundSecret and webhookSecret are shown once; `project secrets <slug>` reads them again',
  async run({ em, vault }, [slug = ''], options) {
    const input = {
      id: uuidv7(),
      slug: slugOf(slug, 'slug'),
      name: text(options, 'name', nameOf),
      from: text(options, 'from', emailOf),
      fromName: text(options, 'from-name', nameOf),
      withBrand: options['no-brand'] !== true,
      ownerVerified: options['owner-unverified'] !== true,
    };
    try {
      return await createProject(await em(), vault(), input);
    } catch (error) {
      if (violatedUnique(error) === 'projects_slug_key') throw new AdminError(`the slug "${slug}" is taken`);
      throw error;
    }
  },
};

const secrets: Command = {
  name: 'project secrets',
  args: ['slug'],
  options: { rotate: 'boolean' },
  usage: '[--rotate]',
  async run(context, [slug], { rotate }) {
    const em = await context.em();
    const { id } = await projectOf(em, slug);
    const read = rotate ? rotateProjectSecrets : readProjectSecrets;
    return { slug, ...(await read(em, context.vault(), id)) };
  },
};

const list: Command = {
  name: 'project list',
  args: [],
  async run({ em }) {
    return listProjects(await em());
  },
};

function changing(name: string, change: Parameters<typeof changeProject>[2]): Command {
  return {
    name: `project ${name}`,
    args: ['slug'],
    async run(context: AdminContext, [slug]) {
      const em = await context.em();
      return changeProject(em, (await projectOf(em, slug)).id, change);
    },
  };
}

const set: Command = {
  name: 'project set',
  args: ['slug'],
  options: { sandbox: 'string', executables: 'string', 'campaign-approval': 'string' },
  usage: '[--sandbox on|off] [--executables on|off] [--campaign-approval on|off]',
  async run(context, [slug], options) {
    const [sandbox, executables] = [text(options, 'sandbox', onOrOff), text(options, 'executables', onOrOff)];
    const campaign_approval = text(options, 'campaign-approval', onOrOff);
    if (sandbox === undefined && executables === undefined && campaign_approval === undefined)
      throw new WrongUsage('project set needs --sandbox, --executables or --campaign-approval');
    const change = {
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(executables === undefined ? {} : { executables }),
      ...(campaign_approval === undefined ? {} : { campaign_approval }),
    };
    const em = await context.em();
    return changeProject(em, (await projectOf(em, slug)).id, change);
  },
};

const brandOptions: OptionTypes = {
  name: 'string',
  from: 'string',
  'from-name': 'string',
  'reply-to': 'string',
  logo: 'string',
  color: 'string',
  address: 'string',
  website: 'string',
  'track-transactional': 'boolean',
  default: 'boolean',
};

const brandSet: Command = {
  name: 'brand set',
  args: ['project', 'slug'],
  options: brandOptions,
  usage:
    '[--name N] [--from a@b] [--from-name N] [--reply-to a@b] [--logo URL] [--color #hex] [--address TEXT] [--website URL] [--track-transactional] [--default]',
  async run(context, [project, slug = ''], options) {
    const fields = {
      name: text(options, 'name', nameOf),
      from_email: text(options, 'from', emailOf),
      from_name: text(options, 'from-name', nameOf),
      reply_to: text(options, 'reply-to', emailOf),
      logo_url: text(options, 'logo', urlOf),
      color: text(options, 'color', colorOf),
      address: text(options, 'address', postalAddressOf),
      website: text(options, 'website', urlOf),
      track_transactional: options['track-transactional'] === true ? true : undefined,
    };
    const brand = slugOf(slug, 'slug');
    const em = await context.em();
    return setBrand(em, (await projectOf(em, project)).id, brand, fields, options.default === true);
  },
};

const brandList: Command = {
  name: 'brand list',
  args: ['project'],
  async run(context, [project]) {
    const em = await context.em();
    return listBrands(em, (await projectOf(em, project)).id);
  },
};

const domainAdd: Command = {
  name: 'domain add',
  args: ['project', 'domain'],
  options: { verified: 'boolean' },
  usage: '[--verified]',
  async run(context, [project, name = ''], options) {
    const domain = domainOf(name);
    const em = await context.em();
    const { id: projectId } = await projectOf(em, project);
    return shownDomain(await setSendingDomain(em, { id: uuidv7(), projectId, domain, verified: options.verified === true }));
  },
};

const domainVerify: Command = {
  name: 'domain verify',
  args: ['project', 'domain'],
  async run(context, [project, name = '']) {
    const domain = domainOf(name);
    const em = await context.em();
    const verified = await vouchForDomain(em, (await projectOf(em, project)).id, domain);
    if (!verified) throw new AdminError(`the project "${project}" has no domain "${domain}"; add it first`);
    return shownDomain(verified);
  },
};

const domainList: Command = {
  name: 'domain list',
  args: ['project'],
  async run(context, [project]) {
    const em = await context.em();
    return (await listSendingDomains(em, (await projectOf(em, project)).id)).map(shownDomain);
  },
};

/** Without what its owner alone is told. */
function shownDomain({ id, project_id, domain, verified, created_at, vouched, standing, checked_at }: SendingDomainRow): object {
  return { id, project_id, domain, verified, created_at, vouched, standing, checked_at };
}

export const projectCommands: readonly Command[] = [
  create,
  secrets,
  list,
  changing('suspend', { status: 'suspended' }),
  changing('resume', { status: 'active' }),
  changing('verify-owner', { owner_email_verified: true }),
  set,
  brandSet,
  brandList,
  domainAdd,
  domainVerify,
  domainList,
];
