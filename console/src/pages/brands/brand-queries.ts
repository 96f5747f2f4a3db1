import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

/** What every query of brands begins with. */
export const BRANDS = ['brands'];

export type Brand = Schemas['BrandSettings'];
export type BrandInput = Schemas['BrandInput'];

/** The default one first. */
export function brandsQuery() {
  return queryOptions({
    queryKey: BRANDS,
    queryFn: async ({ signal }) => (await answerOf(api.GET('/brands', { signal }))).brands,
  });
}
