import type { Brand, BrandInput } from './brand-queries.ts';

/** A brand as its form has it: texts, empty where there is nothing. */
export interface BrandDraft {
  readonly slug: string;
  readonly name: string;
  readonly email: string;
  readonly sender: string;
  readonly replyTo: string;
  readonly logoUrl: string;
  readonly color: string;
  readonly website: string;
  readonly address: string;
  readonly isTracked: boolean;
  readonly isDefault: boolean;
}

export function draftOf(brand: Brand | undefined): BrandDraft {
  return {
    slug: brand?.slug ?? '',
    name: brand?.name ?? '',
    email: brand?.from_email ?? '',
    sender: brand?.from_name ?? '',
    replyTo: brand?.reply_to ?? '',
    logoUrl: brand?.logo_url ?? '',
    color: brand?.color ?? '',
    website: brand?.website ?? '',
    address: brand?.address ?? '',
    isTracked: brand?.track_transactional ?? false,
    isDefault: brand?.is_default ?? false,
  };
}

/** What to ask for: only what differs from `before`, so that what others changed meanwhile stays. */
export function changesOf(before: BrandDraft, now: BrandDraft): BrandInput {
  const text = (name: 'replyTo' | 'logoUrl' | 'color' | 'website' | 'address'): BrandInput =>
    now[name].trim() === before[name] ? {} : { [name]: now[name].trim() || null };
  const isSenderChanged = now.email.trim() !== before.email || now.sender.trim() !== before.sender;
  const from = now.email.trim() ? { email: now.email.trim(), name: now.sender.trim() || null } : null;
  return {
    ...(now.name.trim() && now.name.trim() !== before.name ? { name: now.name.trim() } : {}),
    ...(isSenderChanged ? { from } : {}),
    ...text('replyTo'),
    ...text('logoUrl'),
    ...text('color'),
    ...text('website'),
    ...text('address'),
    ...(now.isTracked === before.isTracked ? {} : { trackTransactional: now.isTracked }),
    ...(now.isDefault && !before.isDefault ? { isDefault: true as const } : {}),
  };
}
