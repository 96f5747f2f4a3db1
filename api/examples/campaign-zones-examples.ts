import { IDS } from './shown-records.ts';

export const zones = [
  {
    params: { id: IDS.campaign },
    answer: { zones: [] },
  },
] as const;
