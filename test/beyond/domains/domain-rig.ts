import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { createDns } from '../../../platform/dns/dns.ts';
import { nameServerOf } from '../../../platform/dns/name-server.ts';
import { txtStrings } from '../../../platform/mail/dkim-key.ts';
import { createDkimKeys } from '../../../sending/dkim-keys.ts';
import { createLinksUrl, createReturnHost } from '../../../sending/domain-hosts.ts';
import type { ReadRecords } from '../../../usecases/domains/check-domain.ts';
import { createReadRecords } from '../../../usecases/domains/read-records.ts';
import { signed, verdicts } from '../../platform/mail/verified.ts';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';
import { startInboundApi } from '../../support/inbound-api.ts';
import { CODES, type NameServerDouble, nameServer, type ZoneRecords, zones } from '../../support/name-server.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

/** A domain as the API shows it, as far as these tests look. */
export interface Shown {
  readonly id: string;
  readonly domain: string;
  readonly standing: string;
  readonly verified: boolean;
  readonly ed25519: boolean;
  readonly records: readonly ShownRecord[];
}

export interface ShownRecord {
  readonly purpose: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly required: boolean;
  readonly state: string;
  readonly problem: string | null;
  readonly action: string;
  readonly keep_until: string | null;
  readonly algorithm: 'rsa' | 'ed25519' | null;
  readonly signs: boolean | null;
}

/** An API without a worker, which would look after the domains, too; a name server; and before each test a new project, with this domain. */
export class DomainRig {
  /** What DNS has, by name. */
  readonly names: Record<string, ZoneRecords> = {};
  /** Names about which their servers say nothing but that they fail. */
  readonly failing = new Set<string>();
  clock = new Date();
  project!: TestProject;
  name!: string;
  databaseUrl!: string;
  readRecords!: ReadRecords;
  #dns!: NameServerDouble;
  #server!: Awaited<ReturnType<typeof startInboundApi>>;

  /** Of the installation. */
  constructor(hosts: { readonly trackingHost?: string; readonly returnPathHost?: string } = {}) {
    beforeAll(async () => {
      const known = zones(this.names);
      this.databaseUrl = await createMigrated(testEnvironment().databaseUrl);
      this.#dns = await nameServer((asked) => (this.failing.has(asked.name) ? { flags: CODES.SERVFAIL } : known(asked)));
      this.readRecords = createReadRecords(createDns({ servers: [nameServerOf(this.#dns.address)!], timeoutMs: 60_000 }));
      this.#server = await startInboundApi({
        databaseUrl: this.databaseUrl,
        readRecords: this.readRecords,
        spfInclude: '_spf.post.example',
        ...hosts,
        now: () => this.clock,
      });
    });
    afterAll(async () => {
      await this.#server.stop();
      this.#dns.close();
    });
    beforeEach(async () => {
      for (const at of Object.keys(this.names)) delete this.names[at];
      this.failing.clear();
      this.clock = new Date();
      this.project = await this.newProject();
      this.name = `mail.${this.project.domain}`;
    });
  }

  newProject(): Promise<TestProject> {
    return newProject({ everpost: { url: this.#server.url, databaseUrl: this.databaseUrl } });
  }

  em(): Promise<EntityManager> {
    return database(this.databaseUrl);
  }

  async add(part: object = {}): Promise<Shown> {
    return must(await this.project.api.post('/domains', { domain: this.name, ...part }), 201).domain;
  }

  /** `call`: what is asked of the domain, like `verify`. */
  async ask({ id }: Pick<Shown, 'id'>, call: 'verify' | 'rotate'): Promise<Shown> {
    return must(await this.project.api.post(`/domains/${id}/${call}`), 200).domain;
  }

  verify(domain: Pick<Shown, 'id'>): Promise<Shown> {
    return this.ask(domain, 'verify');
  }

  /** Sets records as they are shown; all of them when none is named. */
  publish({ records }: Pick<Shown, 'records'>, ...purposes: readonly string[]): void {
    for (const record of records)
      if (purposes.length === 0 || purposes.includes(record.purpose))
        this.names[record.name] = record.type === 'CNAME' ? { CNAME: record.value } : { TXT: [txtStrings(record.value)] };
  }

  /** One whose records are all set and found. */
  async verified(part: object = {}): Promise<Shown> {
    const domain = await this.add(part);
    this.publish(domain);
    return this.verify(domain);
  }

  /** What mail from the domain is signed by now: `selector verdict` of each, by what DNS has at this moment. */
  async signatures({ domain }: Pick<Shown, 'domain'>): Promise<string[]> {
    const keys = await createDkimKeys({ em: await this.em(), vault: vault() })(this.project.id, domain);
    const published = keys.flatMap((key) => {
      const texts = this.names[`${key.selector}._domainkey.${key.domain}`]?.TXT ?? [];
      return texts.map((text) => ({ ...key, record: [text].flat().join('') }));
    });
    const found = await verdicts(signed(`From: hello@${domain}\r\n`, 'Hello\r\n', keys), published);
    return keys.map(({ selector }, index) => `${selector} ${found[index]}`);
  }

  /** What links of mail from the domain lead below now; undefined: the public URL. */
  async linksUrl(domain: string): Promise<string | undefined> {
    return createLinksUrl({ em: await this.em(), publicUrl: 'https://mail.post.example/post' })(this.project.id, domain);
  }

  /** The host on the envelope of mail from the domain now; undefined: that of the installation. */
  async returnHost(domain: string): Promise<string | undefined> {
    return createReturnHost({ em: await this.em() })(this.project.id, domain);
  }

  /** The project has so many domains besides, `d1.example` and on. */
  async addOthers(count: number): Promise<void> {
    const em = await this.em();
    await em
      .getConnection()
      .execute(
        `insert into sending_domains (id, project_id, domain) select uuid_v7(), ?, 'd' || n || '.example' from generate_series(1, ?::integer) n`,
        [this.project.id, count],
      );
  }

  passes(ms: number): void {
    this.clock = new Date(this.clock.getTime() + ms);
  }
}

export const statesOf = ({ records }: Shown) => Object.fromEntries(records.map(({ purpose, state }) => [purpose, state]));

/** That of the installation. */
export const vault = () => createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
export const keysOf = ({ records }: Shown) => records.filter(({ purpose }) => purpose === 'dkim');
export const selectorOf = ({ name }: Pick<ShownRecord, 'name'>): string => name.split('.')[0]!;
/** As `signatures` has it of one that verifies. */
export const passes = (record: Pick<ShownRecord, 'name'>, algorithm = 'rsa'): string => `${selectorOf(record)} ${algorithm}-sha256 pass`;
