import { setBrand } from '../../../db/queries/projects/brands.ts';
import { mailTo } from '../../support/mail.ts';
import { database, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { must } from '../../support/sequences.ts';

/** Content of one block of text. */
export const saying = (text: string): object => ({ blocks: [{ type: 'text', text }] });

/** What a template of a project is made of. */
export const input = (key: string, more: object = {}): object => ({
  ...{ key, type: 'transactional', name: 'Own', subject: 'For {{ name }}', content: saying('It is {{ what }}.') },
  ...more,
});

type Owner = Pick<TestProject, 'api' | 'address'>;

export const made = async (by: Owner, key: string, more: object = {}): Promise<void> => {
  must(await by.api.post('/templates', input(key, more)), 201);
};

/** The template among those that are listed; undefined when it is not. */
export const listed = async (by: Owner, key: string): Promise<unknown> =>
  must(await by.api.get('/templates'), 200).templates.find((template: { key: string }) => template.key === key);

/** The text that a send of the template brings. */
export const textSent = async (by: Owner, key: string): Promise<string> => {
  const to = by.address();
  must(await by.api.post('/send', { template: key, to, data: { name: 'Ada', what: 'yours' } }), 200);
  const { mail } = await readMail((await mailTo(to))[0]!.raw);
  return mail.text ?? '';
};

/** Gives the project a brand named `second` beside its own. */
export const addSecondBrand = async ({ id, domain }: Pick<TestProject, 'id' | 'domain'>): Promise<void> => {
  await setBrand(await database(), id, 'second', { address: '2 Second Street', from_email: `second@${domain}` }, false);
};
