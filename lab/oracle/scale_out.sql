-- Scaling out, the part that clients decide: each session is a client that inserts changes, in arrays of the lever's size, one round trip and
-- one commit a call; into one table, with or without a partition a client, with one index or several.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- The lab executes the section client itself, with array binds, because the calls are what is measured. LIST partitions need the
-- Partitioning option: it comes with Oracle Database Free, and is licensed apart in Enterprise Edition. Direct path, the name server and
-- conflicts of rows are simulated only.
--
-- bind: rows_per_session = 20000   changes of each client
-- lever_NAME is the setting of the myth's lever NAME; all_sessions is the number of clients.

-- section: setup
declare
  v_text varchar2(4000) :=
    'create table raclab_changes (client number not null, n number not null, changed timestamp default systimestamp not null,'
    || ' x2 as (ora_hash(n, 4294967295, 2)), x3 as (ora_hash(n, 4294967295, 3)), x4 as (ora_hash(n, 4294967295, 4)),'
    || ' x5 as (ora_hash(n, 4294967295, 5)), x6 as (ora_hash(n, 4294967295, 6)))';
begin
  if :lever_partitioned = 1 then
    v_text := v_text || ' partition by list (client) (';
    for i in 1 .. :all_sessions loop
      v_text := v_text || case when i > 1 then ', ' end || 'partition p' || to_char(i) || ' values (' || to_char(i) || ')';
    end loop;
    v_text := v_text || ')';
  end if;
  execute immediate v_text;
  execute immediate
    'create unique index raclab_changes_1 on raclab_changes (client, n)' || case when :lever_partitioned = 1 then ' local' end;
  -- in no order of time: the values are spread over the whole index
  for i in 2 .. :lever_indexes loop
    execute immediate
      'create index raclab_changes_' || to_char(i) || ' on raclab_changes (x' || to_char(i) || ')'
      || case when :lever_partitioned = 1 then ' local' end;
  end loop;
end;
/

begin
  if :lever_preallocated = 1 then
    for i in 1 .. case when :lever_partitioned = 1 then :all_sessions else 1 end loop
      execute immediate
        'alter table raclab_changes '
        || case when :lever_partitioned = 1 then 'modify partition p' || to_char(i) end
        || ' allocate extent (size 8m)';
    end loop;
  end if;
end;
/

-- section: client
insert into raclab_changes (client, n) values (:client, :n);

-- section: teardown
drop table raclab_changes purge;
