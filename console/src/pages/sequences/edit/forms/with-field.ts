import type { Config } from '../config-form.ts';

/** The same settings with one changed; '' takes it out. */
export function withField(config: Config, name: string, value: unknown): Config {
  const { [name]: _, ...rest } = config;
  return value === '' || value === null || value === undefined ? rest : { ...rest, [name]: value };
}
