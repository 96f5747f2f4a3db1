import type { Standing } from '../../domain/domains/standing.ts';
import type { AboutInput } from './workflow.ts';

/** Input of the workflow that looks after the DNS records of a sending domain. */
export interface DomainCheckInput extends AboutInput {
  readonly domainId: string;
}

/** What a check has come to. `gone`: the domain was deleted. */
export type DomainCheckReport =
  | 'gone'
  | {
      readonly standing: Standing;
      /** Required records that were not found, and those about which DNS gave no answer, by what they are for. */
      readonly lacking: readonly string[];
      readonly unavailable: readonly string[];
      readonly nextInMs: number;
    };
