/** How many sending domains a project has at most. */
export const MOST_DOMAINS = 100;
