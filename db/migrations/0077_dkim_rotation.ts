import { Migration } from '@mikro-orm/migrations';

/**
 * Keys of a domain take turns, and may be of two algorithms: which one signs is written by the check that found its record, in place of being read from what
 * is known of "the" DKIM record; findings of such records go by their selector.
 */
export class Migration0077DkimRotation extends Migration {
  override up(): void {
    this.addSql(`
      alter table sending_domains add column ed25519 boolean not null default false;
      alter table dkim_keys
        add column algorithm text not null default 'rsa',
        add column signs boolean not null default false,
        add column signed_at timestamptz(3),
        add column retired_at timestamptz(3),
        alter column sealed_private_key drop not null;

      update dkim_keys k set signs = d.findings -> 'dkim' ->> 'state' = 'found',
        signed_at = case when d.findings -> 'dkim' ->> 'state' = 'found' then now() end
      from sending_domains d where d.id = k.domain_id and d.findings ? 'dkim';
      update sending_domains d
      set findings = (findings - 'dkim') || jsonb_build_object('dkim:' || k.selector, d.findings -> 'dkim')
      from dkim_keys k where k.domain_id = d.id and d.findings ? 'dkim';
    `);
  }
}
