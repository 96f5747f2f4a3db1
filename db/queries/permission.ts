import { type RawBuilder, sql } from 'kysely';
import type { SendFailure } from '../../domain/send.ts';

type Operand = RawBuilder<unknown> | string | null;

/**
 * Why an address may not get a mail at this instant, null when it may: suppressed for every mail, unsubscribed and bounced for marketing.
 * The one place of this rule, as part of the statement that writes the intent; operands are values, or columns for many at once.
 */
export function refusal(of: {
  readonly projectId: Operand;
  readonly email: Operand;
  readonly type: Operand;
  readonly contactId: Operand;
}): RawBuilder<SendFailure | null> {
  return sql`case
    when exists (select 1 from suppressions where project_id = ${of.projectId} and email = ${of.email}) then 'suppressed'
    when ${of.type} = 'marketing' then (
      select status from contacts where id = ${of.contactId}::uuid and project_id = ${of.projectId} and status in ('unsubscribed', 'bounced'))
  end`;
}
