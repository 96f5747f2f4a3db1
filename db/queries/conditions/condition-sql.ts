import { type RawBuilder, sql } from 'kysely';
import { instantOf } from '../../../domain/conditions/compare.ts';
import type { Condition, FieldTest, Scalar } from '../../../domain/conditions/condition.ts';
import { asStored } from '../../../domain/conditions/evaluate.ts';
import { emailLookup, eventLookup } from '../../../domain/conditions/needs.ts';
import { MAX_ELEMENTS, OPS } from '../../../domain/conditions/ops.ts';
import { CONTACT_TEXT_COLUMNS } from '../../../domain/contacts/fields.ts';
import { isoText } from '../../iso-text.ts';
import { happened, mailed } from '../contacts/contact-history.ts';
import { topicStateSql } from '../contacts/topics.ts';

type Sql = RawBuilder<unknown>;

/**
 * The condition over the contacts of a statement that knows them as `alias`, of the same opinion as domain/conditions/evaluate.ts about each
 * of them, and never null, so that `not` can be trusted. Not for conditions on an event's payload or on other segments.
 */
export function conditionSql(condition: Condition, alias: string): Sql {
  if ('all' in condition) return joined(condition.all, alias, sql` and `);
  if ('any' in condition) return joined(condition.any, alias, sql` or `);
  if ('not' in condition) return sql`not (${conditionSql(condition.not, alias)})`;
  if ('segment' in condition) throw new Error('a segment names no other');
  const ofContact = sql`contact_id = ${sql.ref(`${alias}.id`)} and project_id = ${sql.ref(`${alias}.project_id`)}`;
  if ('event' in condition) {
    const lookup = eventLookup(condition.event);
    return happened(ofContact, lookup, since(lookup));
  }
  if ('email' in condition) {
    const lookup = emailLookup(condition.email);
    return mailed(ofContact, lookup, since(lookup));
  }
  return fieldSql(condition, alias);
}

function joined(conditions: readonly Condition[], alias: string, by: Sql): Sql {
  return sql`(${sql.join(
    conditions.map((each) => conditionSql(each, alias)),
    by,
  )})`;
}

function since({ withinHours }: { readonly withinHours: number | null }): Sql {
  return withinHours === null ? sql`'-infinity'` : sql`now() - make_interval(secs => ${withinHours * 3600}::double precision)`;
}

/** One value that tests look at: a text column, an element of a list, or a JSON value. */
interface Value {
  /** Whether it is one of these, none of which is a date. */
  isOneOf(values: readonly Scalar[]): Sql;
  /** The test of its text; false when it is none. */
  ofText(test: (text: Sql) => Sql): Sql;
  /** The test of its number; false when it is none. */
  ofNumber(test: (number: Sql) => Sql): Sql;
}

/** A field of the contact. */
interface Field {
  /** undefined: it always is. */
  readonly isThere: Sql | undefined;
  /** Whether its value, or one of the elements of its list, passes the test. */
  some(test: (value: Value) => Sql): Sql;
  /** A text contains another inside it, a list a whole element. */
  contains(isEqual: (value: Value) => Sql, includes: (value: Value) => Sql): Sql;
}

function fieldSql({ field: name, op, value }: FieldTest, alias: string): Sql {
  const field = fieldOf(name, alias);
  const wanted = (name === 'contact.email' ? asStored(value) : value) as FieldTest['value'];
  const test = testSql(field, op, wanted);
  if (!field.isThere) return test;
  return OPS[op].holdsWithout ? sql`(not (${field.isThere}) or ${test})` : sql`(${field.isThere} and ${test})`;
}

/** What each op says about a field that is there. */
function testSql(field: Field, op: FieldTest['op'], wanted: FieldTest['value']): Sql {
  const values = [wanted].flat() as readonly Scalar[];
  const equal = (value: Value): Sql => equalToOne(value, values);
  const text = String(wanted);
  const includes = (value: Value): Sql =>
    typeof wanted === 'string' ? value.ofText((found) => sql`strpos(${found}, ${text}) > 0`) : sql`false`;
  switch (op) {
    case 'exists':
      return sql`true`;
    case 'not_exists':
      return sql`false`;
    case 'eq':
    case 'in':
      return field.some(equal);
    case 'ne':
    case 'not_in':
      return sql`not (${field.some(equal)})`;
    case 'contains':
      return field.contains(equal, includes);
    case 'not_contains':
      return sql`not (${field.contains(equal, includes)})`;
    case 'starts_with':
      return field.some((value) => value.ofText((found) => sql`starts_with(${found}, ${text})`));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return field.some((value) => ordered(value, sql.raw(COMPARES[op]), wanted as string | number));
    default:
      return op satisfies never;
  }
}

const COMPARES = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Dates are equal as instants, everything else as it is. */
function equalToOne(value: Value, wanted: readonly Scalar[]): Sql {
  const instants = wanted.flatMap((each) => (typeof each === 'string' ? (instantOf(each) ?? []) : []));
  const others = wanted.filter((each) => typeof each !== 'string' || instantOf(each) === undefined);
  const tests: Sql[] = [];
  if (others.length > 0) tests.push(value.isOneOf(others));
  if (instants.length > 0)
    tests.push(value.ofText((text) => sql`coalesce(condition_instant(${text}) = any(${instants}::bigint[]), false)`));
  return sql`(${sql.join(tests, sql` or `)})`;
}

/** Never across types: a date has no order with a text, nor a text with a number. */
function ordered(value: Value, compares: Sql, wanted: string | number): Sql {
  if (typeof wanted === 'number') return value.ofNumber((number) => sql`${number} ${compares} ${wanted}::double precision`);
  const instant = instantOf(wanted);
  return value.ofText((text) =>
    instant === undefined
      ? sql`(condition_instant(${text}) is null and ${text} collate "C" ${compares} ${wanted})`
      : sql`coalesce(condition_instant(${text}) ${compares} ${instant}::bigint, false)`,
  );
}

const COLUMNS: Readonly<Record<string, { readonly name: string; readonly isNullable: boolean }>> = {
  status: { name: 'status', isNullable: false },
  email: { name: 'email', isNullable: false },
  source: { name: 'source', isNullable: false },
  brand: { name: 'brand_id', isNullable: false },
  ...Object.fromEntries(CONTACT_TEXT_COLUMNS.map((name) => [name, { name, isNullable: true }])),
};

function fieldOf(field: string, alias: string): Field {
  const [root, ...path] = field.split('.') as [string, ...string[]];
  if (root === 'attributes') return jsonField(pathIn(sql.ref(`${alias}.attributes`), path));
  const [name] = path as [string];
  if (name === 'topics') {
    const of = { projectId: sql.ref(`${alias}.project_id`), topic: path[1] as string, choices: sql.ref(`${alias}.topics`) };
    return jsonField(sql`to_jsonb(${topicStateSql(of)})`);
  }
  if (name === 'tags') return listField(sql.ref(`${alias}.tags`));
  if (name === 'created_at') {
    return textField(isoText(sql.ref(`${alias}.created_at`)), undefined);
  }
  const column = COLUMNS[name];
  if (!column) throw new Error(`no contact has the field ${name}`);
  const text = sql.ref(`${alias}.${column.name}`);
  return textField(text, column.isNullable ? sql`${text} is not null` : undefined);
}

function textField(text: Sql, isThere: Sql | undefined): Field {
  const value = textValue(text);
  return { isThere, some: (test) => test(value), contains: (_, includes) => includes(value) };
}

function textValue(text: Sql): Value {
  return {
    isOneOf: (values) => sql`${text} = any(${textsOf(values)}::text[])`,
    ofText: (test) => test(text),
    ofNumber: () => sql`false`,
  };
}

/** A contact's tags; most are found by their index. */
function listField(list: Sql): Field {
  const some: Field['some'] = (test) => sql`exists (select 1 from unnest(${list}) as e(tag) where ${test(textValue(sql`e.tag`))})`;
  const whole: Value = {
    isOneOf: (values) => sql`${list} && ${textsOf(values)}::text[]`,
    ofText: (test) => some((value) => value.ofText(test)),
    ofNumber: () => sql`false`,
  };
  return { isThere: undefined, some: (test) => test(whole), contains: (isEqual) => isEqual(whole) };
}

function textsOf(values: readonly Scalar[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}

function jsonField(json: Sql): Field {
  const elements = sql`jsonb_array_elements(case jsonb_typeof(${json}) when 'array' then ${json} else jsonb_build_array(${json}) end)`;
  const some: Field['some'] = (test) => sql`exists (
    select 1 from ${elements} with ordinality as e(json, no) where no <= ${sql.lit(MAX_ELEMENTS)} and ${test(jsonValue(sql`e.json`))})`;
  return {
    isThere: sql`coalesce(jsonb_typeof(${json}), 'null') <> 'null'`,
    some,
    contains: (isEqual, includes) =>
      sql`case jsonb_typeof(${json}) when 'array' then ${some(isEqual)} else ${includes(jsonValue(json))} end`,
  };
}

function jsonValue(json: Sql): Value {
  const text = sql`(${json} #>> '{}')`;
  const ofType = (type: string, test: Sql): Sql => sql`case jsonb_typeof(${json}) when ${sql.lit(type)} then ${test} else false end`;
  return {
    isOneOf: (values) => sql`${json} = any(${values.map((value) => JSON.stringify(value))}::jsonb[])`,
    ofText: (test) => ofType('string', test(text)),
    ofNumber: (test) => ofType('number', test(sql`${text}::double precision`)),
  };
}

/** What stands at the path; null where nothing does. Of a list its elements, and at the end its length, have names too. */
function pathIn(root: Sql, path: readonly string[]): Sql {
  return path.reduce<Sql>((json, key, index) => {
    if (/^(0|[1-9]\d*)$/.test(key)) return sql`(${json} #> array[${key}])`;
    const member = sql`(${json} -> ${key}::text)`;
    const isLast = index === path.length - 1;
    if (key !== 'length' || !isLast) return member;
    return sql`(case jsonb_typeof(${json}) when 'array' then to_jsonb(jsonb_array_length(${json})) else ${member} end)`;
  }, root);
}
