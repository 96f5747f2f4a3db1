import { ProductEvent, type ProductEventRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';

/** Keeps a product event for the conditions and mails that look at it. */
export async function insertEvent(tx: EntityManager, event: ProductEventRow): Promise<void> {
  await tx.insert(ProductEvent, event);
}
