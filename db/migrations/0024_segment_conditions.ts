import { Migration } from '@mikro-orm/migrations';

/** Conditions compare dates as instants, in segments too. */
export class Migration0024SegmentConditions extends Migration {
  override up(): void {
    this.addSql(`
      -- Milliseconds since the epoch; null when the text is no ISO 8601 date of a day that exists. The same as instantOf in
      -- domain/conditions/compare.ts, in whole numbers, so that no text makes it fail.
      create function condition_instant(value text) returns bigint language sql immutable strict parallel safe as $$
        select (((y - era * 400) * 365 + (y - era * 400) / 4 - (y - era * 400) / 100 + (153 * (month + case when month > 2 then -3 else 9 end) + 2) / 5
                 + day - 1 + era * 146097 - 719468) * 86400000::bigint) + millisecond - offset_minutes * 60000
        from (
          select *, year - (month <= 2)::integer as y, floor((year - (month <= 2)::integer) / 400.0)::integer as era,
                 -- Years below 100 are read as 19xx where the length of a month is asked.
                 case when year < 100 then year + 1900 else year end as calendar_year
          from (
            select m[1]::integer as year, m[2]::integer as month, m[3]::integer as day,
                   coalesce(m[4]::bigint, 0) * 3600000 + coalesce(m[5]::integer, 0) * 60000 + coalesce(m[6]::integer, 0) * 1000
                     + coalesce(substr(rpad(m[7], 3, '0'), 1, 3)::integer, 0) as millisecond,
                   case when m[8] is null or m[8] = 'Z' then 0
                        else (substr(m[8], 2, 2)::integer * 60 + substr(m[8], 5, 2)::integer) * case left(m[8], 1) when '-' then -1 else 1 end
                   end as offset_minutes
            from regexp_match(value, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\\.([0-9]{1,9}))?)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$') m
            where m is not null
          ) parts
        ) dated
        where month between 1 and 12 and day between 1 and case
          when month in (4, 6, 9, 11) then 30
          when month <> 2 then 31
          when calendar_year % 4 = 0 and calendar_year % 100 <> 0 or calendar_year % 400 = 0 then 29
          else 28 end
      $$;
    `);
  }
}
