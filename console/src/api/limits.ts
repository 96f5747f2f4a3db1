/** What inputs stop at, and words name. The API's types do not tell it; test/console/limits.test.ts holds each to the API's own. */

/** Of the file of an import. */
export const MOST_IMPORT_MB = 256;
export const MOST_IMPORT_ROWS = 1_000_000;
/** Of its refused rows so many are told with it. */
export const MOST_PROBLEMS = 100;

/** Of a contact, or of those that a segment asks for. */
export const MOST_TAGS = 100;

/** Characters of what people, campaigns, sequences and templates are called. */
export const LONGEST_NAME = 200;
/** Of where a contact comes from. */
export const LONGEST_SOURCE = 200;
export const LONGEST_USER_AGENT = 1000;
export const LONGEST_SEGMENT_LABEL = 100;
export const LONGEST_SUBJECT = 998;
export const LONGEST_URL = 2048;
/** Of the postal address of a brand. */
export const LONGEST_ADDRESS = 500;
export const LONGEST_TOPIC_DESCRIPTION = 500;
/** After the email that asks to confirm a sign-up: when a reminder comes at the latest, and when who has not confirmed is erased at the latest. */
export const MOST_REMINDER_HOURS = 720;
export const MOST_PRUNE_DAYS = 365;
/** A contact is asked to confirm once in so long. */
export const HOURS_BETWEEN_CONFIRMATIONS = 1;

/** Addresses of a campaign to people of one's own choice. */
export const MOST_PEOPLE = 10_000;
/** Mails a second. */
export const FASTEST_CAMPAIGN = 10_000;
/** Of the goal of a campaign: a month. */
export const MOST_GOAL_HOURS = 720;
/** Of the name of the number that it adds up. */
export const LONGEST_SUM = 100;
export const MOST_VARIANTS = 4;
export const FEWEST_VARIANTS = 2;

/** Of a rule: so many days, weeks or months between two runs at most. */
export const MOST_INTERVAL = 100;
/** So many campaigns of a rule that is to end after some. */
export const MOST_RUNS = 10_000;
/** A run is over after a year at the latest, where it is to be over. */
export const LONGEST_RUN_MINUTES = 525_600;

/** Of the window of a frequency cap: a year. */
export const MOST_CAP_HOURS = 8_760;
/** An email that is over the cap waits so long, and is skipped then. */
export const LONGEST_CAP_WAIT_HOURS = 72;
/** Of a run that goes round in a loop, before it is slowed. */
export const MOST_STEPS_A_MINUTE = 60;

/** Of one series of a delivery: docs/contract/webhooks.md 13. */
export const MOST_ATTEMPTS = 6;
/** Failed deliveries are counted up to so many. */
export const MOST_COUNTED = 100_000;
/** For so long at most both secrets of an endpoint sign. */
export const MOST_OVERLAP_HOURS = 72;

/** Percent of the recipients that one variant of a test is tried on. */
export const LARGEST_TEST_SHARE = 49;
export const MOST_TEST_HOURS = 336;

/** Of fewer mails, how many bounced or were complained about says nothing. */
export const FEWEST_RATED_MAILS = 100;

/** So long a domain that was verified may lack a record: docs/contract/identity.md 34. */
export const DOMAIN_GRACE_HOURS = 72;
/** So long the record of a DKIM key is to stay after the key signed last. */
export const KEY_OVERLAP_DAYS = 7;

/** The ramp of a domain has so many days at most. */
export const MOST_RAMP_STEPS = 60;
export const HIGHEST_RAMP_STEP = 10_000_000;
/** What a ramp is when nothing else is said. */
export const USUAL_RAMP: readonly number[] = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200];
