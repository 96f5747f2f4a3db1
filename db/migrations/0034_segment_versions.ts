import { Migration } from '@mikro-orm/migrations';

/** How often a segment was changed: times of changes can be the same, these numbers cannot. */
export class Migration0034SegmentVersions extends Migration {
  override up(): void {
    this.addSql('alter table segments add column version integer not null default 1');
  }
}
