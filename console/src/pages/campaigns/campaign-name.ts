import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session.tsx';
import { templatesQuery } from '../templates/template-queries.ts';
import { type CalledCampaign, isCalledByTemplate, nameOfCampaign } from './campaign-queries.ts';

/** How campaigns are called, by the names of their templates where that is how; these are read where one of `campaigns` is called so. */
export function useCampaignNames(campaigns: readonly CalledCampaign[] = []): (campaign: CalledCampaign) => string {
  const nameOf = useTemplateNames(campaigns.some(isCalledByTemplate));
  return (campaign) => nameOfCampaign({ ...campaign, template: nameOf(campaign.template) });
}

/** undefined: the campaign is not known yet. */
export function useCampaignName(campaign: CalledCampaign): string;
export function useCampaignName(campaign: CalledCampaign | undefined): string | undefined;
export function useCampaignName(campaign: CalledCampaign | undefined): string | undefined {
  const nameOf = useCampaignNames(campaign && [campaign]);
  return campaign && nameOf(campaign);
}

/** The name of a template; its key where there is none, or the key may not read it. */
export function useTemplateNames(isAsked = true): (key: string) => string {
  const { may } = useSession();
  const { data } = useQuery({ ...templatesQuery(), enabled: isAsked && may('GET /templates') });
  return (key) => data?.find((template) => template.key === key)?.name || key;
}
