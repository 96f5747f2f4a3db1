import { MOST_COUNTED } from '../../api/limits.ts';

/** What has all pending deliveries of an endpoint attempted at once is called so wherever it is spoken of. */
export const TRY_PENDING = 'Try pending deliveries now';

/** Like "1,300 deliveries"; of so many that the API counts no further it says so. */
export function countedDeliveries(count: number): string {
  if (count === 1) return '1 delivery';
  return `${count.toLocaleString('en')}${count >= MOST_COUNTED ? ' or more' : ''} deliveries`;
}
