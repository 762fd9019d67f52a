-- Oracle's operators and functions as DuckDB macros, chosen by the types of their arguments.
-- A macro's argument is put in for each place where it stands, and bound there: an argument that stands twice in each of ten functions
-- inside each other is bound a thousand times. A lambda over a list of one takes it once. Only macros chosen by types can't help it.
-- DATE is TIMESTAMP_S here and TIMESTAMP is TIMESTAMP, so that the two stay apart. A macro's last, untyped form takes the rest.

CREATE SCHEMA ora;

-- The empty string is null.
CREATE MACRO ora.not_empty(t) AS list_filter([t], lambda x: x <> '')[1];

-- An interval's months, and its microseconds: 26 hours are one day and two hours, however they came about.
CREATE MACRO ora.interval_parts(a) AS list_transform([a], lambda x: {
    'months': datepart('year', x) * 12 + datepart('month', x),
    'micros': datepart('day', x) * 86400000000 + datepart('hour', x) * 3600000000 + datepart('minute', x) * 60000000
      + datepart('microsecond', x)});
CREATE MACRO ora.interval_part(a, unit) AS list_transform(ora.interval_parts(a), lambda r: CASE unit
  WHEN 'DAY' THEN r.micros // 86400000000 WHEN 'HOUR' THEN r.micros % 86400000000 // 3600000000
  WHEN 'MINUTE' THEN r.micros % 3600000000 // 60000000 ELSE r.micros % 60000000 / 1000000 END)[1];
-- An interval with so many digits for days and fractions of a second; months stand apart from days.
CREATE MACRO ora.interval_text(a, days, fraction) AS list_transform(ora.interval_parts(a), lambda r: CASE
  WHEN r.months IS NULL THEN NULL
  WHEN r.months <> 0 THEN CASE WHEN r.months < 0 THEN '-' ELSE '+' END || printf('%02d-%02d', abs(r.months) // 12, abs(r.months) % 12)
  ELSE CASE WHEN r.micros < 0 THEN '-' ELSE '+' END || lpad((abs(r.micros) // 86400000000)::VARCHAR,
      greatest(days, length((abs(r.micros) // 86400000000)::VARCHAR))::INTEGER, '0')
    || printf(' %02d:%02d:%02d.', abs(r.micros) // 3600000000 % 24, abs(r.micros) // 60000000 % 60, abs(r.micros) // 1000000 % 60)
    || left(printf('%06d000', abs(r.micros) % 1000000), fraction) END)[1];

-- Text of a value, as Oracle converts it by itself.
CREATE MACRO ora.trimmed(t) AS
  regexp_replace(regexp_replace(t, '^(-?\d+)\.0*$|^(-?\d+\.\d*[1-9])0+$', '\1\2'), '^(-?)0\.', '\1.');
-- The digits that a binary number holds for sure: 15, or 16 where it is whole.
CREATE MACRO ora.digits(a) AS
  list_transform([a::DOUBLE], lambda x: printf(CASE WHEN abs(x) >= 1e15 AND abs(x) < 9007199254740992 THEN '%.0f' ELSE '%.15g' END, x))[1];
CREATE MACRO ora.str
  (a VARCHAR) AS a,
  (a TIMESTAMP_S) AS upper(strftime(a, getvariable('nls_date_format'))),
  (a TIMESTAMP) AS upper(strftime(a, '%d-%b-%y %I.%M.%S.%f %p')),
  (a INTERVAL) AS ora.interval_text(a, 2, 6),
  (a BOOLEAN) AS CASE WHEN a THEN '1' WHEN NOT a THEN '0' END,
  (a BLOB) AS hex(a),
  (a HUGEINT) AS a::VARCHAR,
  (a DOUBLE) AS ora.trimmed(ora.digits(a)),
  (a) AS ora.trimmed(a::VARCHAR);
CREATE MACRO ora.exact(a) AS ora.digits(a)::DOUBLE;
CREATE MACRO ora.str_of_binary(a) AS list_transform([a::DOUBLE], lambda x: CASE
  WHEN x = 0 OR (abs(x) >= 1e-4 AND abs(x) < 1e15) THEN ora.trimmed(printf('%.15g', x))
  ELSE coalesce(ora.trimmed(CASE WHEN abs(x) >= 1e-20 THEN TRY_CAST(printf('%.15g', x) AS DECIMAL(38, 34)) END::VARCHAR),
    TRY_CAST(ora.digits(x) AS DECIMAL(38, 0))::VARCHAR, upper(printf('%.15g', x))) END)[1];
-- The bytes of a value as Oracle stores it: numbers in pairs of digits, with one byte for the exponent and one for a minus.
CREATE MACRO ora.pairs_of(t) AS list_transform([split_part(t, '.', 1)], lambda i: list_transform([split_part(t, '.', 2)], lambda f:
  regexp_replace(regexp_replace(repeat('0', length(i) % 2) || i || f || repeat('0', length(f) % 2), '^(00)+', ''), '(00)+$', ''))[1])[1];
CREATE MACRO ora.vsize
  (a VARCHAR) AS strlen(a),
  (a TIMESTAMP_S) AS CASE WHEN a IS NOT NULL THEN 7 END,
  (a TIMESTAMP) AS CASE WHEN a = date_trunc('second', a) THEN 7 WHEN a IS NOT NULL THEN 11 END,
  (a BLOB) AS octet_length(a),
  (a) AS length(ora.pairs_of(ora.str(abs(a)))) // 2 + 1 + CASE WHEN a < 0 THEN 1 ELSE 0 END;
CREATE MACRO ora.concat(a, b) AS ora.not_empty(concat(a, b));

-- Number of a value.
CREATE MACRO ora.num
  (a VARCHAR) AS trim(a)::DECIMAL(38, 10),
  (a) AS a;

CREATE MACRO ora.num_of_text(a) AS trim(a)::DECIMAL(38, 10);

-- Date of a value. Any punctuation does; the year may have all its digits, and the time or the end of it may be missing.
CREATE MACRO ora.spaced(t) AS trim(regexp_replace(t, '[^%\pL\pN]+', ' ', 'g'));
CREATE MACRO ora.nls_formats(f) AS [regexp_replace(f, ' %[HI].*$', ''), regexp_replace(f, ' %M.*$', ''), regexp_replace(f, ' %S.*$', ''), f,
  regexp_replace(replace(f, '%y', '%Y'), ' %[HI].*$', ''), replace(f, '%y', '%Y')];
CREATE MACRO ora.as_date
  (a TIMESTAMP_S) AS a,
  (a TIMESTAMP) AS date_trunc('second', a)::TIMESTAMP_S,
  (a VARCHAR) AS strptime(ora.spaced(a), ora.nls_formats(ora.spaced(getvariable('nls_date_format'))))::TIMESTAMP_S;
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
CREATE MACRO ora.mod(a, b) AS list_transform([{'a': a, 'b': b}], lambda r: CASE WHEN r.b = 0 THEN r.a ELSE r.a % r.b END)[1];
CREATE MACRO ora.remainder(a, b) AS list_transform([{'a': a, 'b': b}], lambda r: r.a - r.b * round_even(r.a / r.b, 0))[1];
CREATE MACRO ora.sqrt(a) AS list_transform([a], lambda x: CASE WHEN x < 0 THEN error('ORA-01428') ELSE sqrt(x) END)[1];
CREATE MACRO ora.ln(a) AS list_transform([a], lambda x: CASE WHEN x <= 0 THEN error('ORA-01428') ELSE ln(x) END)[1];
CREATE MACRO ora.log(b, x) AS ora.ln(x) / ora.ln(b);
CREATE MACRO ora.width_bucket(x, low, high, n) AS list_transform([{'x': x, 'low': low, 'high': high, 'n': n}], lambda r:
  CASE WHEN r.x < r.low THEN 0 WHEN r.x >= r.high THEN r.n + 1 ELSE floor((r.x - r.low) * r.n / (r.high - r.low)) + 1 END)[1];

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
CREATE MACRO ora.date_trunc(a, f) AS list_transform([a], lambda d: CASE
  WHEN upper(f) IN ('DAY', 'DY', 'D') THEN date_trunc('day', d) - to_days(dayofweek(d)::INTEGER)
  WHEN upper(f) = 'WW' THEN date_trunc('day', d) - to_days(((dayofyear(d) - 1) % 7)::INTEGER)
  WHEN upper(f) = 'W' THEN date_trunc('day', d) - to_days(((dayofmonth(d) - 1) % 7)::INTEGER)
  ELSE date_trunc(ora.date_unit(f), d) END)[1]::TIMESTAMP_S;
CREATE MACRO ora.date_round(a, f) AS list_transform([a], lambda d: CASE ora.date_unit(f)
  WHEN 'year' THEN date_trunc('year', d + INTERVAL 6 MONTH)
  WHEN 'month' THEN date_trunc('month', d) + CASE WHEN dayofmonth(d) >= 16 THEN INTERVAL 1 MONTH ELSE INTERVAL 0 MONTH END
  WHEN 'day' THEN date_trunc('day', d + INTERVAL 12 HOUR)
  WHEN 'hour' THEN date_trunc('hour', d + INTERVAL 30 MINUTE)
  WHEN 'minute' THEN date_trunc('minute', d + INTERVAL 30 SECOND)
  ELSE error('ORA-03001 ROUND of a date to this unit') END)[1]::TIMESTAMP_S;
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
CREATE MACRO ora.round_binary(a, n) AS list_transform([a::DOUBLE], lambda x:
  coalesce(system.main.round(TRY_CAST(ora.digits(x) AS DECIMAL(38, 15)), n)::DOUBLE, system.main.round(x, n)))[1];
CREATE MACRO ora.trunc_binary(a, n) AS list_transform([a::DOUBLE], lambda x:
  coalesce(system.main.trunc(TRY_CAST(ora.digits(x) AS DECIMAL(38, 15)), n)::DOUBLE, system.main.trunc(x)))[1];

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
  (a, p) AS list_transform([{'s': a, 'p': p}], lambda r: ora.not_empty(substring(r.s, ora.from_position(r.s, r.p))))[1],
  (a, p, n) AS list_transform([{'s': a, 'p': p, 'n': n}], lambda r: CASE WHEN r.n >= 1 THEN
    ora.not_empty(substring(r.s, ora.from_position(r.s, r.p), r.n)) END)[1];
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
-- The first letter and three digits for the consonants after it; H and W between two of one digit do not part them.
-- LISTAGG cut to so many bytes: ``pieces`` has the values with the unit separator between them. What is left of a value's room
-- is not given to a later one that is shorter.
CREATE MACRO ora.truncated(pieces, separator, indicator, counted, longest) AS list_transform([string_split(pieces, chr(31))], lambda all_values:
  list_transform([list_reduce(all_values, lambda kept, value:
      CASE WHEN kept.full OR kept.bytes + strlen(value) + 2 * strlen(separator) + strlen(indicator)
          + CASE WHEN counted THEN 2 + length(len(all_values)::VARCHAR) ELSE 0 END > longest
        THEN {'text': kept.text, 'bytes': kept.bytes, 'number': kept.number, 'full': true}
        ELSE {'text': kept.text || value || separator, 'bytes': kept.bytes + strlen(value) + strlen(separator), 'number': kept.number + 1,
          'full': false} END,
      {'text': '', 'bytes': 0::BIGINT, 'number': 0, 'full': false})], lambda kept:
    kept.text || indicator || CASE WHEN counted THEN '(' || (len(all_values) - kept.number) || ')' ELSE '' END)[1])[1];
CREATE MACRO ora.soundex(t) AS list_transform([regexp_replace(upper(t), '[^A-Z]', '', 'g')], lambda s: left(s, 1) || left(replace(substring(
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    left(translate(s, 'BFPVCGJKQSXZDTLMNRAEIOUYHW', '11112222222233455600000077'), 1)
      || replace(substring(translate(s, 'BFPVCGJKQSXZDTLMNRAEIOUYHW', '11112222222233455600000077'), 2), '7', ''),
    '1+', '1', 'g'), '2+', '2', 'g'), '3+', '3', 'g'), '4+', '4', 'g'), '5+', '5', 'g'), '6+', '6', 'g'), 2), '0', '') || '000', 3))[1];
CREATE MACRO ora.binary(t) AS trim(t)::DOUBLE;
CREATE MACRO ora.lpad
  (a, n) AS ora.not_empty(lpad(a, n, ' ')),
  (a, n, p) AS ora.not_empty(lpad(a, n, p));
CREATE MACRO ora.rpad
  (a, n) AS ora.not_empty(rpad(a, n, ' ')),
  (a, n, p) AS ora.not_empty(rpad(a, n, p));
CREATE MACRO ora.ltrim
  (a) AS ora.not_empty(ltrim(a, ' ')),
  (a, c) AS ora.not_empty(ltrim(a, c));
CREATE MACRO ora.rtrim
  (a) AS ora.not_empty(rtrim(a, ' ')),
  (a, c) AS ora.not_empty(rtrim(a, c));
CREATE MACRO ora.trim
  (a) AS ora.not_empty(trim(a, ' ')),
  (a, c) AS ora.not_empty(trim(a, c));
CREATE MACRO ora.replace
  (a, f) AS ora.not_empty(replace(a, coalesce(f, ''), '')),
  (a, f, t) AS ora.not_empty(replace(a, coalesce(f, ''), coalesce(t, '')));
CREATE MACRO ora.translate(a, f, t) AS ora.not_empty(translate(a, f, t));
CREATE MACRO ora.regexp_flags(f) AS CASE WHEN coalesce(replace(replace(f, 'c', ''), 'x', ''), '') = '' THEN ''
  ELSE '(?' || replace(replace(replace(f, 'c', ''), 'x', ''), 'n', 's') || ')' END;
CREATE MACRO ora.regexp_like
  (a, p) AS regexp_matches(a, p),
  (a, p, f) AS regexp_matches(a, ora.regexp_flags(f) || p);
-- What stands before the n-th match: its length is that of n pieces between matches and of the matches before.
CREATE MACRO ora.regexp_before(s, p, n) AS coalesce(list_sum(list_transform(regexp_split_to_array(s, p)[1:n], lambda x: length(x))), 0)
  + coalesce(list_sum(list_transform(regexp_extract_all(s, p)[1:n - 1], lambda x: length(x))), 0);
CREATE MACRO ora.regexp_replaced(a, p, t, b, n) AS list_transform([a], lambda s: ora.not_empty(left(s, b - 1) || CASE
  WHEN n = 0 THEN regexp_replace(substring(s, b), p, coalesce(t, ''), 'g')
  WHEN n = 1 THEN regexp_replace(substring(s, b), p, coalesce(t, ''))
  WHEN len(regexp_extract_all(substring(s, b), p)) < n THEN substring(s, b)
  ELSE left(substring(s, b), ora.regexp_before(substring(s, b), p, n)::BIGINT)
    || regexp_replace(regexp_extract_all(substring(s, b), p)[n], p, coalesce(t, ''))
    || substring(substring(s, b), (ora.regexp_before(substring(s, b), p, n) + length(regexp_extract_all(substring(s, b), p)[n]) + 1)::BIGINT)
  END))[1];
CREATE MACRO ora.regexp_replace
  (a, p) AS ora.not_empty(regexp_replace(a, p, '', 'g')),
  (a, p, t) AS ora.not_empty(regexp_replace(a, p, coalesce(t, ''), 'g')),
  (a, p, t, b) AS ora.regexp_replaced(a, p, t, b, 0),
  (a, p, t, b, n) AS ora.regexp_replaced(a, p, t, b, n),
  (a, p, t, b, n, f) AS ora.regexp_replaced(a, ora.regexp_flags(f) || p, t, b, n);
CREATE MACRO ora.regexp_substr
  (a, p) AS ora.not_empty(regexp_extract(a, p)),
  (a, p, b) AS ora.not_empty(regexp_extract(substring(a, b), p)),
  (a, p, b, n) AS ora.not_empty(regexp_extract_all(substring(a, b), p)[n]),
  (a, p, b, n, f) AS ora.not_empty(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p)[n]),
  (a, p, b, n, f, g) AS ora.not_empty(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p, g)[n]);
CREATE MACRO ora.regexp_count
  (a, p) AS len(regexp_extract_all(a, p)),
  (a, p, b) AS len(regexp_extract_all(substring(a, b), p)),
  (a, p, b, f) AS len(regexp_extract_all(substring(a, b), ora.regexp_flags(f) || p));
-- The place of the n-th match in the text from place b on, or that of the character after it.
CREATE MACRO ora.regexp_place(a, p, b, n, e) AS list_transform([substring(a, b)], lambda s: CASE
  WHEN len(regexp_extract_all(s, p)) < n THEN 0
  ELSE b + ora.regexp_before(s, p, n) + e * length(regexp_extract_all(s, p)[n]) END)[1];
CREATE MACRO ora.regexp_instr
  (a, p) AS ora.regexp_place(a, p, 1, 1, 0),
  (a, p, b) AS ora.regexp_place(a, p, b, 1, 0),
  (a, p, b, n) AS ora.regexp_place(a, p, b, n, 0),
  (a, p, b, n, e) AS ora.regexp_place(a, p, b, n, e),
  (a, p, b, n, e, f) AS ora.regexp_place(a, ora.regexp_flags(f) || p, b, n, e);

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
CREATE MACRO ora.blank_if_zero(t, x, width) AS CASE WHEN trunc(x) = 0 THEN ora.not_empty(repeat(' ', width)) ELSE t END;
CREATE MACRO ora.scientific(x, decimals, bare) AS list_transform([x::DOUBLE], lambda n:
  CASE WHEN bare OR n < 0 THEN '' ELSE ' ' END || printf('%.' || decimals || 'E', n))[1];
CREATE MACRO ora.roman(x) AS list_transform([round(x)::INTEGER], lambda n: CASE WHEN n IS NULL THEN NULL
  WHEN n NOT BETWEEN 1 AND 3999 THEN repeat('#', 15)
  ELSE repeat('M', n // 1000) || ['', 'C', 'CC', 'CCC', 'CD', 'D', 'DC', 'DCC', 'DCCC', 'CM'][n // 100 % 10 + 1]
    || ['', 'X', 'XX', 'XXX', 'XL', 'L', 'LX', 'LXX', 'LXXX', 'XC'][n // 10 % 10 + 1]
    || ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'][n % 10 + 1] END)[1];

-- Dates.
CREATE MACRO ora.last_day_of(d) AS (date_trunc('month', d) + INTERVAL 1 MONTH - INTERVAL 1 DAY + (d - date_trunc('day', d)))::TIMESTAMP_S;
CREATE MACRO ora.last_day(d) AS list_transform([d], lambda x: ora.last_day_of(x))[1];
CREATE MACRO ora.add_months(d, n) AS list_transform([{'d': d, 'n': n}], lambda r:
  CASE WHEN ora.last_day_of(r.d) = r.d THEN ora.last_day_of((r.d + to_months(r.n))::TIMESTAMP_S) ELSE (r.d + to_months(r.n))::TIMESTAMP_S END)[1];
CREATE MACRO ora.months_between(a, b) AS list_transform([{'a': a, 'b': b}], lambda r:
  (year(r.a) - year(r.b)) * 12 + month(r.a) - month(r.b)
  + CASE WHEN day(r.a) = day(r.b) OR (ora.last_day_of(r.a) = r.a AND ora.last_day_of(r.b) = r.b) THEN 0
    ELSE (day(r.a) - day(r.b) + (epoch(r.a - date_trunc('day', r.a)) - epoch(r.b - date_trunc('day', r.b))) / 86400) / 31 END)[1];
CREATE MACRO ora.next_day(d, w) AS list_transform([d], lambda x: (x + to_days(
  (1 + (list_position(['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], upper(left(w, 3))) - 2 - dayofweek(x) + 14) % 7)::INTEGER)
  )::TIMESTAMP_S)[1];
CREATE MACRO ora.day_number(d) AS dayofweek(d) + 1;
CREATE MACRO ora.week_of_year(d) AS (dayofyear(d) - 1) // 7 + 1;
CREATE MACRO ora.week_of_month(d) AS (dayofmonth(d) - 1) // 7 + 1;
CREATE MACRO ora.julian_day(d) AS epoch_us(d) // 86400000000 + 2440588;
-- YY is a year of this century; RR is one from 1950 to 2049.
CREATE MACRO ora.in_century(t, rounded) AS list_transform([t], lambda d: CASE
  WHEN NOT rounded AND year(d) BETWEEN 1900 AND 1999 THEN d + INTERVAL 100 YEAR
  WHEN rounded AND year(d) BETWEEN 2050 AND 2099 THEN d - INTERVAL 100 YEAR ELSE d END)[1];
CREATE MACRO ora.of_julian_day(t) AS TIMESTAMP '1970-01-01' + to_days(t::INTEGER - 2440588);
CREATE MACRO ora.at_second(d, t) AS date_trunc('day', d) + to_seconds(t::BIGINT);
CREATE MACRO ora.roman_month(d) AS ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'][month(d)];
CREATE MACRO ora.ordinal(t) AS list_transform([t], lambda x: x || CASE WHEN x::BIGINT % 100 BETWEEN 11 AND 13 THEN 'TH'
  WHEN x::BIGINT % 10 = 1 THEN 'ST' WHEN x::BIGINT % 10 = 2 THEN 'ND' WHEN x::BIGINT % 10 = 3 THEN 'RD' ELSE 'TH' END)[1];
CREATE MACRO ora.second_of_day(d) AS (epoch_us(d) // 1000000) % 86400;
CREATE MACRO ora.seconds_of(x) AS (datepart('microsecond', x) / 1000000);
CREATE MACRO ora.interval_of(n, u) AS to_microseconds(CAST(round(n::DOUBLE * CASE upper(trim(u))
  WHEN 'DAY' THEN 86400000000 WHEN 'HOUR' THEN 3600000000 WHEN 'MINUTE' THEN 60000000 WHEN 'SECOND' THEN 1000000
  ELSE error('ORA-01760') END) AS BIGINT));
CREATE MACRO ora.ds_interval(t) AS list_transform([regexp_extract(trim(t), '^([+-]?)(\d+) (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?$',
    ['sign', 'd', 'h', 'm', 's', 'f'])], lambda r: CASE WHEN t IS NULL THEN NULL WHEN r.d = '' THEN error('ORA-01867')
  ELSE to_microseconds((CASE r.sign WHEN '-' THEN -1 ELSE 1 END) * (r.d::BIGINT * 86400000000 + r.h::BIGINT * 3600000000
    + r.m::BIGINT * 60000000 + r.s::BIGINT * 1000000 + round(('0' || r.f)::DOUBLE * 1000000)::BIGINT)) END)[1];
CREATE MACRO ora.ym_interval(t) AS list_transform([regexp_extract(trim(t), '^([+-]?)(\d+)-(\d{1,2})$', ['sign', 'y', 'm'])], lambda r:
  CASE WHEN t IS NULL THEN NULL WHEN r.y = '' THEN error('ORA-01867')
  ELSE to_months((CASE r.sign WHEN '-' THEN -1 ELSE 1 END) * (r.y::INTEGER * 12 + r.m::INTEGER)) END)[1];
CREATE MACRO ora.months_of(n, u) AS to_months(CAST(n * CASE upper(trim(u)) WHEN 'YEAR' THEN 12 WHEN 'MONTH' THEN 1
  ELSE error('ORA-01760') END AS INTEGER));

-- The session. The clock is set before each statement, and stands still while it runs.
CREATE MACRO ora.systimestamp() AS CAST(getvariable('now') AS TIMESTAMP);
CREATE MACRO ora.sysdate() AS date_trunc('second', CAST(getvariable('now') AS TIMESTAMP))::TIMESTAMP_S;
CREATE MACRO ora.time_zone() AS getvariable('time_zone');
CREATE MACRO ora.utc(t) AS t - CAST(getvariable('utc_offset') AS INTERVAL);
-- Zones have a name, or say how far ahead of UTC they are.
CREATE MACRO ora.zone_name(z) AS CASE WHEN regexp_matches(z, '^[+-]?\d') THEN 'UTC' ELSE z END;
CREATE MACRO ora.zone_ahead(z) AS to_minutes(CASE WHEN regexp_matches(z, '^[+-]?\d') THEN CASE WHEN z LIKE '-%' THEN -1 ELSE 1 END
  * (regexp_extract(z, '(\d+):?(\d\d)$', 1)::INTEGER * 60 + regexp_extract(z, '(\d+):?(\d\d)$', 2)::INTEGER) ELSE 0 END);
CREATE MACRO ora.to_utc(t, z) AS timezone('UTC', timezone(ora.zone_name(z), t)) - ora.zone_ahead(z);
CREATE MACRO ora.in_zone(t, z) AS timezone(ora.zone_name(z), timezone('UTC', t)) + ora.zone_ahead(z);
CREATE MACRO ora.of_utc(t) AS t + CAST(getvariable('utc_offset') AS INTERVAL);
CREATE MACRO ora.session_minutes() AS epoch_us(TIMESTAMP '1970-01-01' + CAST(getvariable('utc_offset') AS INTERVAL)) // 60000000;
CREATE MACRO ora.zone_minutes(t, z) AS list_transform([t], lambda x: (epoch_us(x) - epoch_us(ora.to_utc(x, z))) // 60000000)[1];
CREATE MACRO ora.rest_of_hour(n) AS list_transform([n], lambda m: CASE WHEN m < 0 THEN -(abs(m) % 60) ELSE m % 60 END)[1];
CREATE MACRO ora.zone_hour(n) AS list_transform([n], lambda m: CASE WHEN m < 0 THEN '-' ELSE '+' END || printf('%02d', abs(m) // 60))[1];
CREATE MACRO ora.zone_minute(n) AS printf('%02d', abs(n) % 60);
CREATE MACRO ora.tz_offset(z) AS list_transform([ora.zone_minutes(ora.in_zone(ora.utc(ora.systimestamp()), z), z)], lambda m:
  ora.zone_hour(m) || ':' || ora.zone_minute(m))[1];
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
CREATE MACRO ora.random_text(option, n) AS list_transform([CASE upper(option) WHEN 'L' THEN 'abcdefghijklmnopqrstuvwxyz'
  WHEN 'A' THEN 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' WHEN 'X' THEN 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  WHEN 'P' THEN array_to_string(list_transform(range(32, 127), lambda c: chr(c::INTEGER)), '') ELSE 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' END],
  lambda letters: array_to_string(list_transform(range(n), lambda i: letters[1 + floor(random() * length(letters))::INTEGER]), ''))[1];
