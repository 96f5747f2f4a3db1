/** A variable that has a bad value. The message names it and says what it should be; shown without a stack trace. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
