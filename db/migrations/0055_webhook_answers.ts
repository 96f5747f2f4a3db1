import { Migration } from '@mikro-orm/migrations';

/** What receivers answer is kept beside the log of attempts, so that the row that every attempt writes stays small. */
export class Migration0055WebhookAnswers extends Migration {
  override up(): void {
    this.addSql(`
      -- Bodies of answers are kept for those endpoints alone that ask for it.
      alter table webhook_endpoints add column keep_answers boolean not null default false;

      create table webhook_answers (
        delivery_id uuid not null,
        -- When the attempt began, as its entry in the log has it.
        at timestamptz(3) not null,
        answer jsonb not null,
        constraint webhook_answers_pkey primary key (delivery_id, at),
        constraint webhook_answers_delivery_id_fkey foreign key (delivery_id) references webhook_deliveries (id) on delete cascade
      );
    `);
  }
}
