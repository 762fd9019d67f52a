-- Latches and CPU: each session scans a table of one row again and again, within one statement; all on the same table, or each its own.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- Each scan gets the table's few blocks anew, each get takes the latch of the block's hash chain. One statement does all the scans, so that
-- no cursor and no library cache is shared in the loop; the join has no equality, so that nothing but nested loops can do it.
-- Compare CPU a session for 1 session, for 2 on the same table and for 2 on a table each; seconds of other machines mean nothing here.
--
-- bind: thousand_scans = 3000   thousands of scans of each session; some ten seconds on a core of today
-- lever_NAME is the setting of the myth's lever NAME; my_number is the session's number; calls gives the number of scans back.

-- section: setup
begin
  for i in 1 .. :lever_sessions loop
    execute immediate 'create table raclab_latch_' || to_char(i) || ' (id number not null)';
    execute immediate 'insert into raclab_latch_' || to_char(i) || ' values (1)';
  end loop;
  commit;
end;
/

-- section: workload
declare
  v_table constant varchar2(30) := 'raclab_latch_' || to_char(case when :lever_same = 1 then 1 else :my_number end);
  v_found number;
begin
  execute immediate
    'select /*+ leading(n t) use_nl(t) full(t) */ count(*) from (select /*+ no_merge */ 1 as one'
    || ' from (select level from dual connect by level <= 1000), (select level from dual connect by level <= :scans)) n, '
    || v_table || ' t where t.id >= n.one'
    into v_found using :thousand_scans;
  :calls := v_found;
end;
/

-- section: teardown
-- sixteen at most: as many as the lever has
begin
  for one in (select table_name from user_tables where table_name like 'RACLAB\_LATCH\_%' escape '\') loop
    execute immediate 'drop table ' || one.table_name || ' purge';
  end loop;
end;
/
