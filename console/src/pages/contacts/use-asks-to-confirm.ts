import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session.tsx';
import { BUILT_IN } from '../brands/brand-draft.ts';
import { brandsQuery } from '../brands/brand-queries.ts';
import { templatesQuery } from '../templates/template-queries.ts';

/** Whether a brand asks who becomes pending to confirm; null: the default brand. Its template tells it where the brand does not ask by itself. */
export function useAsksToConfirm(slug: string | null): boolean {
  const { may } = useSession();
  const { data: brands } = useQuery(brandsQuery());
  const brand = brands?.find((one) => (slug === null ? one.is_default : one.slug === slug));
  const isByTemplate = brand !== undefined && !brand.double_opt_in;
  const { data: templates } = useQuery({ ...templatesQuery(brand?.slug), enabled: isByTemplate && may('GET /templates') });
  if (!isByTemplate) return brand !== undefined;
  return templates?.some(({ key, enabled }) => enabled && key === (brand.confirm_template ?? BUILT_IN)) ?? false;
}
