import type { TestProject } from '../../support/project.ts';
import type { SentMail } from '../../support/sent-mail.ts';

type Reported = Pick<TestProject, 'api'>;

/** The mail to this address as the send log shows it. */
export const logOf = async (of: Reported, to: string) => (await of.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0];

/** The status of the contact with this address. */
export const statusOf = async (of: Reported, to: string) =>
  (await of.api.get(`/contacts?q=${encodeURIComponent(to)}`)).body.contacts[0]?.status;

/** Why an address is suppressed; undefined when it is not. */
export const reasonOf = async (of: Reported, to: string) =>
  (await of.api.get('/suppressions')).body.suppressions.find(({ email }: { email: string }) => email === to)?.reason;

/** What came of a mail. */
export const outcome = async (of: Reported, { to }: SentMail) => ({
  delivery: (await logOf(of, to)).delivery_status,
  contact: await statusOf(of, to),
  suppression: await reasonOf(of, to),
});
