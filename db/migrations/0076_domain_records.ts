import { Migration } from '@mikro-orm/migrations';

/**
 * Sending domains prove themselves by DNS: the token and the DKIM key whose records their owner sets, and what was found of them. Those that were
 * verified before are so by an operator's word.
 */
export class Migration0076DomainRecords extends Migration {
  override up(): void {
    this.addSql(`
      alter table sending_domains
        add column token text not null default replace(gen_random_uuid()::text, '-', ''),
        add column vouched boolean not null default false,
        add column standing text not null default 'pending',
        add column failing_since timestamptz(3),
        add column checked_at timestamptz(3),
        add column findings jsonb not null default '{}';
      update sending_domains set vouched = true where verified;

      create table dkim_keys (
        id uuid not null,
        domain_id uuid not null,
        selector text not null,
        sealed_private_key bytea not null,
        record text not null,
        created_at timestamptz(3) not null default now(),
        constraint dkim_keys_pkey primary key (id),
        constraint dkim_keys_selector_key unique (domain_id, selector),
        constraint dkim_keys_domain_id_fkey foreign key (domain_id) references sending_domains (id) on delete cascade
      );
    `);
  }
}
