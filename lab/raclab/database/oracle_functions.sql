-- Oracle's operators and functions as DuckDB macros, chosen by the types of their arguments.
-- A macro's argument is put in for each place where it stands; where these are many, a lambda over a list of one computes it once.
-- DATE is TIMESTAMP_S here and TIMESTAMP is TIMESTAMP, so that the two stay apart. A macro's last, untyped form takes the rest.

CREATE SCHEMA ora;

-- Text of a value, as Oracle converts it by itself; the empty string is null.
CREATE MACRO ora.trimmed(t) AS
  regexp_replace(regexp_replace(t, '^(-?\d+)\.0*$|^(-?\d+\.\d*[1-9])0+$', '\1\2'), '^(-?)0\.', '\1.');
CREATE MACRO ora.str
  (a VARCHAR) AS a,
  (a TIMESTAMP_S) AS upper(strftime(a, getvariable('nls_date_format'))),
  (a TIMESTAMP) AS upper(strftime(a, '%d-%b-%y %I.%M.%S.%f %p')),
  (a INTERVAL) AS (CASE WHEN a < INTERVAL 0 DAY THEN '-' ELSE '+' END)
    || printf('%02d %02d:%02d:%02d.%06d', abs(datepart('day', a)), abs(datepart('hour', a)), abs(datepart('minute', a)),
              abs(datepart('microsecond', a)) // 1000000, abs(datepart('microsecond', a)) % 1000000),
  (a BOOLEAN) AS CASE WHEN a THEN '1' WHEN NOT a THEN '0' END,
  (a BLOB) AS hex(a),
  (a HUGEINT) AS a::VARCHAR,
  (a DOUBLE) AS ora.trimmed(printf('%.15g', a)),
  (a) AS ora.trimmed(a::VARCHAR);
CREATE MACRO ora.exact(a) AS printf('%.15g', a)::DOUBLE;
CREATE MACRO ora.str_of_binary(a) AS CASE
  WHEN a = 0 OR (abs(a) >= 1e-4 AND abs(a) < 1e15) THEN ora.trimmed(printf('%.15g', a::DOUBLE))
  ELSE coalesce(ora.trimmed(CASE WHEN abs(a) >= 1e-20 THEN TRY_CAST(printf('%.15g', a::DOUBLE) AS DECIMAL(38, 34)) END::VARCHAR),
    TRY_CAST(printf('%.15g', a::DOUBLE) AS DECIMAL(38, 0))::VARCHAR, upper(printf('%.15g', a::DOUBLE))) END;
CREATE MACRO ora.concat(a, b) AS nullif(concat(a, b), '');

-- Number of a value.
CREATE MACRO ora.num
  (a VARCHAR) AS trim(a)::DECIMAL(38, 10),
  (a) AS a;

CREATE MACRO ora.num_of_text(a) AS trim(a)::DECIMAL(38, 10);

-- Date of a value.
CREATE MACRO ora.as_date
  (a TIMESTAMP_S) AS a,
  (a TIMESTAMP) AS date_trunc('second', a)::TIMESTAMP_S,
  (a VARCHAR) AS strptime(a, [getvariable('nls_date_format'), replace(getvariable('nls_date_format'), '%y', '%Y')])::TIMESTAMP_S;
CREATE MACRO ora.as_timestamp
  (a TIMESTAMP) AS a,
  (a VARCHAR) AS strptime(a, '%d-%b-%y %I.%M.%S.%f %p');

-- Arithmetic. A date and a number are days; a date less a date is days; a timestamp less a timestamp is an interval.
CREATE MACRO ora.days(n) AS to_microseconds(CAST(round(CAST(n AS DOUBLE) * 86400) * 1000000 AS BIGINT));
CREATE MACRO ora.plus
  (a TIMESTAMP_S, b INTERVAL) AS (a + b)::TIMESTAMP_S,
  (a INTERVAL, b TIMESTAMP_S) AS (a + b)::TIMESTAMP_S,
  (a TIMESTAMP, b INTERVAL) AS a + b,
  (a INTERVAL, b TIMESTAMP) AS a + b,
  (a INTERVAL, b INTERVAL) AS a + b,
  (a TIMESTAMP_S, b DOUBLE) AS (a + ora.days(b))::TIMESTAMP_S,
  (a DOUBLE, b TIMESTAMP_S) AS (b + ora.days(a))::TIMESTAMP_S,
  (a TIMESTAMP, b DOUBLE) AS (a + ora.days(b))::TIMESTAMP_S,
  (a DOUBLE, b TIMESTAMP) AS (b + ora.days(a))::TIMESTAMP_S,
  (a VARCHAR, b DOUBLE) AS ora.num(a) + b,
  (a DOUBLE, b VARCHAR) AS a + ora.num(b),
  (a VARCHAR, b VARCHAR) AS ora.num(a) + ora.num(b),
  (a, b) AS a + b;
CREATE MACRO ora.minus
  (a TIMESTAMP_S, b TIMESTAMP_S) AS (epoch_us(a) - epoch_us(b)) / 86400000000,
  (a TIMESTAMP, b TIMESTAMP) AS a - b,
  (a TIMESTAMP_S, b INTERVAL) AS (a - b)::TIMESTAMP_S,
  (a TIMESTAMP, b INTERVAL) AS a - b,
  (a INTERVAL, b INTERVAL) AS a - b,
  (a TIMESTAMP_S, b DOUBLE) AS (a - ora.days(b))::TIMESTAMP_S,
  (a TIMESTAMP, b DOUBLE) AS (a - ora.days(b))::TIMESTAMP_S,
  (a VARCHAR, b DOUBLE) AS ora.num(a) - b,
  (a DOUBLE, b VARCHAR) AS a - ora.num(b),
  (a VARCHAR, b VARCHAR) AS ora.num(a) - ora.num(b),
  (a, b) AS a - b;
CREATE MACRO ora.over
  (a INTERVAL, b DOUBLE) AS CASE WHEN b = 0 THEN error('ORA-01476') ELSE a / b END,
  (a VARCHAR, b DOUBLE) AS CASE WHEN b = 0 THEN error('ORA-01476') ELSE ora.num(a) / b END,
  (a DOUBLE, b VARCHAR) AS CASE WHEN ora.num(b) = 0 THEN error('ORA-01476') ELSE a / ora.num(b) END,
  (a VARCHAR, b VARCHAR) AS CASE WHEN ora.num(b) = 0 THEN error('ORA-01476') ELSE ora.num(a) / ora.num(b) END,
  (a, b) AS CASE WHEN b = 0 THEN error('ORA-01476') ELSE a / b END;
CREATE MACRO ora.times
  (a VARCHAR, b DOUBLE) AS ora.num(a) * b,
  (a DOUBLE, b VARCHAR) AS a * ora.num(b),
  (a VARCHAR, b VARCHAR) AS ora.num(a) * ora.num(b),
  (a, b) AS a * b;
CREATE MACRO ora.mod(a, b) AS CASE WHEN b = 0 THEN a ELSE a % b END;
CREATE MACRO ora.remainder(a, b) AS a - b * round_even(a / b, 0);
CREATE MACRO ora.sqrt(x) AS CASE WHEN x < 0 THEN error('ORA-01428') ELSE sqrt(x) END;
CREATE MACRO ora.ln(x) AS CASE WHEN x <= 0 THEN error('ORA-01428') ELSE ln(x) END;
CREATE MACRO ora.log(b, x) AS ora.ln(x) / ora.ln(b);
CREATE MACRO ora.width_bucket(x, low, high, n) AS
  CASE WHEN x < low THEN 0 WHEN x >= high THEN n + 1 ELSE floor((x - low) * n / (high - low)) + 1 END;

-- Rounding, of numbers and of dates.
CREATE MACRO ora.date_unit(f) AS CASE
  WHEN upper(f) IN ('SYYYY', 'YYYY', 'YEAR', 'SYEAR', 'YYY', 'YY', 'Y') THEN 'year'
  WHEN upper(f) = 'Q' THEN 'quarter'
  WHEN upper(f) IN ('MONTH', 'MON', 'MM', 'RM') THEN 'month'
  WHEN upper(f) = 'IW' THEN 'week'
  WHEN upper(f) IN ('DDD', 'DD', 'J') THEN 'day'
  WHEN upper(f) IN ('HH', 'HH12', 'HH24') THEN 'hour'
  WHEN upper(f) = 'MI' THEN 'minute'
  WHEN upper(f) IN ('SS') THEN 'second'
  ELSE error('ORA-01821') END;
CREATE MACRO ora.date_trunc(a, f) AS (CASE
  WHEN upper(f) IN ('DAY', 'DY', 'D') THEN date_trunc('day', a) - to_days(dayofweek(a)::INTEGER)
  WHEN upper(f) = 'WW' THEN date_trunc('day', a) - to_days(((dayofyear(a) - 1) % 7)::INTEGER)
  WHEN upper(f) = 'W' THEN date_trunc('day', a) - to_days(((dayofmonth(a) - 1) % 7)::INTEGER)
  ELSE date_trunc(ora.date_unit(f), a) END)::TIMESTAMP_S;
CREATE MACRO ora.date_round(a, f) AS
  CASE ora.date_unit(f)
  WHEN 'year' THEN date_trunc('year', a + INTERVAL 6 MONTH)
  WHEN 'month' THEN date_trunc('month', a) + CASE WHEN dayofmonth(a) >= 16 THEN INTERVAL 1 MONTH ELSE INTERVAL 0 MONTH END
  WHEN 'day' THEN date_trunc('day', a + INTERVAL 12 HOUR)
  WHEN 'hour' THEN date_trunc('hour', a + INTERVAL 30 MINUTE)
  WHEN 'minute' THEN date_trunc('minute', a + INTERVAL 30 SECOND)
  ELSE error('ORA-03001 ROUND of a date to this unit') END::TIMESTAMP_S;
CREATE MACRO ora.trunc
  (a TIMESTAMP_S) AS date_trunc('day', a)::TIMESTAMP_S,
  (a TIMESTAMP) AS date_trunc('day', a)::TIMESTAMP_S,
  (a VARCHAR) AS system.main.trunc(ora.num(a)),
  (a) AS system.main.trunc(a),
  (a TIMESTAMP_S, f VARCHAR) AS ora.date_trunc(a, f),
  (a TIMESTAMP, f VARCHAR) AS ora.date_trunc(a, f),
  (a, n) AS system.main.trunc(a, n);
CREATE MACRO ora.round
  (a TIMESTAMP_S) AS ora.date_round(a, 'DD'),
  (a TIMESTAMP) AS ora.date_round(a, 'DD'),
  (a VARCHAR) AS system.main.round(ora.num(a)),
  (a) AS system.main.round(a),
  (a TIMESTAMP_S, f VARCHAR) AS ora.date_round(a, f),
  (a TIMESTAMP, f VARCHAR) AS ora.date_round(a, f),
  (a, n) AS system.main.round(a, n);

-- A binary number is rounded as the 15 digits that it holds: 2.675 is 2.68, as in Oracle's decimal numbers.
CREATE MACRO ora.round_binary(a, n) AS
  coalesce(system.main.round(TRY_CAST(printf('%.15g', a::DOUBLE) AS DECIMAL(38, 15)), n)::DOUBLE, system.main.round(a::DOUBLE, n));
CREATE MACRO ora.trunc_binary(a, n) AS
  coalesce(system.main.trunc(TRY_CAST(printf('%.15g', a::DOUBLE) AS DECIMAL(38, 15)), n)::DOUBLE, system.main.trunc(a::DOUBLE));

-- Nulls.
CREATE MACRO ora.nvl
  (a VARCHAR, b) AS coalesce(a, b::VARCHAR),
  (a TIMESTAMP_S, b TIMESTAMP_S) AS coalesce(a, b),
  (a, b) AS coalesce(a, b);

-- Strings. Positions count from 1, and from the end when negative.
CREATE MACRO ora.initcap(a) AS array_to_string(
  list_transform(regexp_extract_all(lower(a), '[\p{L}\p{N}]+|[^\p{L}\p{N}]+'), lambda w: upper(w[1]) || w[2:]), '');
CREATE MACRO ora.from_position(s, p) AS
  CASE WHEN p < 0 AND -p > length(s) THEN NULL WHEN p < 0 THEN length(s) + p + 1 WHEN p = 0 THEN 1 ELSE p END;
CREATE MACRO ora.substr
  (a, p) AS list_transform([{'s': a, 'p': p}], lambda r: nullif(substring(r.s, ora.from_position(r.s, r.p)), ''))[1],
  (a, p, n) AS list_transform([{'s': a, 'p': p, 'n': n}], lambda r: CASE WHEN r.n >= 1 THEN
    nullif(substring(r.s, ora.from_position(r.s, r.p), r.n), '') END)[1];
CREATE MACRO ora.nth_position(s, w, n) AS
  CASE WHEN len(string_split(s, w)) <= n THEN 0
  ELSE list_sum(list_transform(string_split(s, w)[1:n], lambda part: length(part) + length(w))) - length(w) + 1 END;
CREATE MACRO ora.instr_from(s, w, p, n) AS CASE
  WHEN s IS NULL OR w IS NULL THEN NULL
  WHEN p > 0 THEN CASE WHEN ora.nth_position(substring(s, p), w, n) = 0 THEN 0 ELSE ora.nth_position(substring(s, p), w, n) + p - 1 END
  WHEN p < 0 THEN CASE WHEN ora.nth_position(reverse(left(s, length(s) + p + length(w))), reverse(w), n) = 0 THEN 0
    ELSE least(length(s) + p + length(w), length(s)) + 2 - length(w)
      - ora.nth_position(reverse(left(s, length(s) + p + length(w))), reverse(w), n) END
  ELSE 0 END;
CREATE MACRO ora.instr
  (a, w) AS strpos(a, w),
  (a, w, p) AS list_transform([{'a': a, 'w': w, 'p': p}], lambda r: ora.instr_from(r.a, r.w, r.p, 1))[1],
  (a, w, p, n) AS list_transform([{'a': a, 'w': w, 'p': p, 'n': n}], lambda r: ora.instr_from(r.a, r.w, r.p, r.n))[1];
CREATE MACRO ora.lpad
  (a, n) AS nullif(lpad(a, n, ' '), ''),
  (a, n, p) AS nullif(lpad(a, n, p), '');
CREATE MACRO ora.rpad
  (a, n) AS nullif(rpad(a, n, ' '), ''),
  (a, n, p) AS nullif(rpad(a, n, p), '');
CREATE MACRO ora.ltrim
  (a) AS nullif(ltrim(a, ' '), ''),
  (a, c) AS nullif(ltrim(a, c), '');
CREATE MACRO ora.rtrim
  (a) AS nullif(rtrim(a, ' '), ''),
  (a, c) AS nullif(rtrim(a, c), '');
CREATE MACRO ora.trim
  (a) AS nullif(trim(a, ' '), ''),
  (a, c) AS nullif(trim(a, c), '');
CREATE MACRO ora.replace
  (a, f) AS nullif(replace(a, coalesce(f, ''), ''), ''),
  (a, f, t) AS nullif(replace(a, coalesce(f, ''), coalesce(t, '')), '');
CREATE MACRO ora.translate(a, f, t) AS nullif(translate(a, f, t), '');
CREATE MACRO ora.regexp_flags(f) AS CASE WHEN nullif(replace(replace(f, 'c', ''), 'x', ''), '') IS NULL THEN ''
  ELSE '(?' || replace(replace(replace(f, 'c', ''), 'x', ''), 'n', 's') || ')' END;
CREATE MACRO ora.regexp_like
  (a, p) AS regexp_matches(a, p),
  (a, p, f) AS regexp_matches(a, ora.regexp_flags(f) || p);
CREATE MACRO ora.regexp_replace
  (a, p) AS nullif(regexp_replace(a, p, '', 'g'), ''),
  (a, p, t) AS nullif(regexp_replace(a, p, coalesce(t, ''), 'g'), ''),
  (a, p, t, b) AS nullif(left(a, b - 1) || regexp_replace(substring(a, b), p, coalesce(t, ''), 'g'), ''),
  (a, p, t, b, n) AS nullif(left(a, b - 1) || CASE n WHEN 0 THEN regexp_replace(substring(a, b), p, coalesce(t, ''), 'g')
    WHEN 1 THEN regexp_replace(substring(a, b), p, coalesce(t, '')) ELSE error('ORA-03001 REGEXP_REPLACE of an occurrence above 1') END, ''),
  (a, p, t, b, n, f) AS nullif(left(a, b - 1) || CASE n WHEN 0 THEN regexp_replace(substring(a, b), ora.regexp_flags(f) || p, coalesce(t, ''), 'g')
    WHEN 1 THEN regexp_replace(substring(a, b), ora.regexp_flags(f) || p, coalesce(t, ''))
    ELSE error('ORA-03001 REGEXP_REPLACE of an occurrence above 1') END, '');
CREATE MACRO ora.regexp_substr
  (a, p) AS nullif(regexp_extract(a, p), ''),
  (a, p, b) AS nullif(regexp_extract(substring(a, b), p), ''),
  (a, p, b, n) AS nullif(regexp_extract_all(substring(a, b), p)[n], ''),
  (a, p, b, n, f) AS nullif(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p)[n], ''),
  (a, p, b, n, f, g) AS nullif(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p, g)[n], '');
CREATE MACRO ora.regexp_count
  (a, p) AS len(regexp_extract_all(a, p)),
  (a, p, b) AS len(regexp_extract_all(substring(a, b), p)),
  (a, p, b, f) AS len(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p));
-- The place of a match: the text before it is what stands before the first match of the rest.
CREATE MACRO ora.regexp_place(a, p, b) AS
  CASE WHEN regexp_matches(substring(a, b), p) THEN b + length(regexp_extract(substring(a, b), '(?s)^(.*?)(?:' || p || ')', 1)) ELSE 0 END;
CREATE MACRO ora.regexp_instr
  (a, p) AS ora.regexp_place(a, p, 1),
  (a, p, b) AS ora.regexp_place(a, p, b),
  (a, p, b, n) AS CASE WHEN n = 1 THEN ora.regexp_place(a, p, b) ELSE error('ORA-03001 REGEXP_INSTR of an occurrence above 1') END,
  (a, p, b, n, e) AS CASE WHEN n > 1 THEN error('ORA-03001 REGEXP_INSTR of an occurrence above 1')
    WHEN e = 0 OR ora.regexp_place(a, p, b) = 0 THEN ora.regexp_place(a, p, b)
    ELSE ora.regexp_place(a, p, b) + length(regexp_extract(substring(a, b), p)) END,
  (a, p, b, n, e, f) AS ora.regexp_place(a, ora.regexp_flags(f) || p, b) + e * length(regexp_extract(substring(a, b), ora.regexp_flags(f) || p));

-- Numbers as text by a format: at most ``whole`` and at least ``least`` digits before the point, ``decimals`` after it, of which
-- zeros beyond ``kept`` are dropped; signs before and after; filled with blanks to ``fill``, hash signs of ``width`` if too large.
CREATE MACRO ora.number_digits(x, least, decimals) AS
  CASE WHEN least = 0 AND decimals > 0 AND round(abs(x), decimals) < 1 THEN ''
  ELSE lpad(trunc(round(abs(x), decimals))::HUGEINT::VARCHAR,
    greatest(length(trunc(round(abs(x), decimals))::HUGEINT::VARCHAR), least)::INTEGER, '0') END;
CREATE MACRO ora.thousands(t) AS reverse(rtrim(regexp_replace(reverse(t), '(\d{3})', '\1,', 'g'), ','));
CREATE MACRO ora.number_fraction(x, decimals, kept) AS CASE WHEN decimals = 0 THEN '' ELSE '.' || regexp_replace(
  lpad(round((round(abs(x), decimals) - trunc(round(abs(x), decimals))) * power(10, decimals))::HUGEINT::VARCHAR, decimals, '0'),
  '0{0,' || (decimals - kept) || '}$', '') END;
CREATE MACRO ora.filled(t, fill) AS lpad(t, greatest(length(t), fill)::INTEGER, ' ');
CREATE MACRO ora.number_text(x, whole, least, decimals, kept, commas, currency, minus, plus, closing_minus, closing_plus, fill, width) AS
  list_transform([x], lambda n:
  CASE WHEN n IS NULL THEN NULL WHEN round(abs(n), decimals) >= power(10::DOUBLE, whole) THEN repeat('#', width) ELSE ora.filled(
    CASE WHEN n < 0 THEN minus ELSE plus END || currency
    || CASE WHEN commas THEN ora.thousands(ora.number_digits(n, least, decimals)) ELSE ora.number_digits(n, least, decimals) END
    || ora.number_fraction(n, decimals, kept) || CASE WHEN n < 0 THEN closing_minus ELSE closing_plus END, fill) END)[1];

-- Dates.
CREATE MACRO ora.last_day_of(d) AS (date_trunc('month', d) + INTERVAL 1 MONTH - INTERVAL 1 DAY + (d - date_trunc('day', d)))::TIMESTAMP_S;
CREATE MACRO ora.last_day(d) AS list_transform([d], lambda x: ora.last_day_of(x))[1];
CREATE MACRO ora.add_months(d, n) AS list_transform([{'d': d, 'n': n}], lambda r:
  CASE WHEN ora.last_day_of(r.d) = r.d THEN ora.last_day_of((r.d + to_months(r.n))::TIMESTAMP_S) ELSE (r.d + to_months(r.n))::TIMESTAMP_S END)[1];
CREATE MACRO ora.months_between(a, b) AS list_transform([{'a': a, 'b': b}], lambda r:
  (year(r.a) - year(r.b)) * 12 + month(r.a) - month(r.b)
  + CASE WHEN day(r.a) = day(r.b) OR (ora.last_day_of(r.a) = r.a AND ora.last_day_of(r.b) = r.b) THEN 0
    ELSE (day(r.a) - day(r.b) + (epoch(r.a - date_trunc('day', r.a)) - epoch(r.b - date_trunc('day', r.b))) / 86400) / 31 END)[1];
CREATE MACRO ora.next_day(d, w) AS (d + to_days(
  (1 + (list_position(['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], upper(left(w, 3))) - 2 - dayofweek(d) + 14) % 7)::INTEGER)
  )::TIMESTAMP_S;
CREATE MACRO ora.day_number(d) AS dayofweek(d) + 1;
CREATE MACRO ora.week_of_year(d) AS (dayofyear(d) - 1) // 7 + 1;
CREATE MACRO ora.week_of_month(d) AS (dayofmonth(d) - 1) // 7 + 1;
CREATE MACRO ora.julian_day(d) AS epoch_us(d) // 86400000000 + 2440588;
CREATE MACRO ora.second_of_day(d) AS (epoch_us(d) // 1000000) % 86400;
CREATE MACRO ora.seconds_of(x) AS (datepart('microsecond', x) / 1000000);
CREATE MACRO ora.interval_of(n, u) AS CASE upper(u)
  WHEN 'DAY' THEN to_microseconds(CAST(round(n::DOUBLE * 86400000000) AS BIGINT))
  WHEN 'HOUR' THEN to_microseconds(CAST(round(n::DOUBLE * 3600000000) AS BIGINT))
  WHEN 'MINUTE' THEN to_microseconds(CAST(round(n::DOUBLE * 60000000) AS BIGINT))
  WHEN 'SECOND' THEN to_microseconds(CAST(round(n::DOUBLE * 1000000) AS BIGINT))
  ELSE error('ORA-01760') END;
CREATE MACRO ora.months_of(n, u) AS CASE upper(u)
  WHEN 'YEAR' THEN to_months(CAST(n * 12 AS INTEGER))
  WHEN 'MONTH' THEN to_months(CAST(n AS INTEGER))
  ELSE error('ORA-01760') END;

-- The session. The clock is set before each statement, and stands still while it runs.
CREATE MACRO ora.systimestamp() AS CAST(getvariable('now') AS TIMESTAMP);
CREATE MACRO ora.sysdate() AS date_trunc('second', CAST(getvariable('now') AS TIMESTAMP))::TIMESTAMP_S;
CREATE MACRO ora.time_zone() AS getvariable('time_zone');
CREATE MACRO ora.utc(t) AS t - CAST(getvariable('utc_offset') AS INTERVAL);
CREATE MACRO ora.at_zone(t, z) AS timezone(z, timezone('UTC', ora.utc(t)));
CREATE MACRO ora.userenv(p) AS CASE
  WHEN map_contains(getvariable('userenv'), upper(p)) THEN nullif(getvariable('userenv')[upper(p)], '')
  ELSE error('ORA-02003') END;
CREATE MACRO ora.sys_context(n, p) AS CASE WHEN upper(n) = 'USERENV' THEN ora.userenv(p) END;
CREATE MACRO ora.hash
  (a) AS (hash(a) % 4294967296)::BIGINT,
  (a, n) AS (hash(a) % (n::UBIGINT + 1))::BIGINT;
CREATE MACRO ora.random
  () AS random(),
  (low, high) AS low + random() * (high - low);
