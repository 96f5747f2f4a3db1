import { Migration } from '@mikro-orm/migrations';

/** Whether mails of a project may have attachments whose names say that they are programs. */
export class Migration0050Executables extends Migration {
  override up(): void {
    this.addSql('alter table projects add column executables boolean not null default true');
  }
}
