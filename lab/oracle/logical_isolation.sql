-- Logical isolation: one table with the rows of two organizations; the batch of each works on its own rows, in several threads, on two
-- instances or on one.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- A row is looked up by its key, given a new number that grows, and committed; the number is indexed. No two sessions ever want the
-- same row. With one instance it runs too, and shows the batch without an interconnect. Partitions need the Partitioning option: it
-- comes with Oracle Database Free, and is licensed apart in Enterprise Edition; with the lever at "none" nothing is partitioned.
-- Rows per block hold for blocks of 8 KB.
--
-- bind: table_rows = 40000               rows of the table
-- bind: rows_per_organization = 10000    rows that each organization's batch works on
-- lever_NAME is the setting of the myth's lever NAME; my_number is the session's number; calls gives the number of rows back.

-- section: setup
create sequence raclab_org_seq cache 1000;

begin
  execute immediate
    'create table raclab_org_rows (id number not null, org number not null, changed number not null, payload varchar2(4000)) pctfree 0'
    || ' initrans 8'
    || case :lever_partitioning
         when 'hash' then ' partition by hash (id) partitions 8'
         when 'list' then ' partition by list (org) (partition p1 values (1), partition p2 values (2))'
       end;
end;
/

-- first the rows whose blocks are shared, one organization after the other row by row, then each organization's own
insert into raclab_org_rows (id, org, changed, payload)
select id, org, id, rpad('x', greatest(1, trunc(7000 / :lever_rows_per_block) - 20), 'x')
from (select level as id, mod(level, 2) + 1 as org from dual connect by level <= :table_rows)
order by case when mod(trunc(id / 2), 100) < :lever_overlap_pct then 0 else org end, id;
commit;

begin
  execute immediate 'create index raclab_org_id on raclab_org_rows (id)';
  execute immediate
    'create index raclab_org_changed on raclab_org_rows (changed)'
    || case when :lever_index = 'local' and :lever_partitioning <> 'none' then ' local' end;
end;
/

-- section: workload
declare
  type numbers is table of number index by pls_integer;
  v_org     constant pls_integer := case when :my_number <= :lever_threads then 1 else 2 end;
  v_thread  constant pls_integer := mod(:my_number - 1, :lever_threads);
  v_ids     numbers;
  v_changed number;
begin
  select id bulk collect into v_ids
  from (
    select id from raclab_org_rows
    where org = v_org and mod(trunc(id / 2), :lever_threads) = v_thread
    order by dbms_random.value
  )
  where rownum <= trunc(:rows_per_organization / :lever_threads);
  for i in 1 .. v_ids.count loop
    select changed into v_changed from raclab_org_rows where id = v_ids(i);
    update raclab_org_rows set changed = raclab_org_seq.nextval where id = v_ids(i);
    commit;
  end loop;
  :calls := v_ids.count;
end;
/

-- section: teardown
drop table raclab_org_rows purge;
drop sequence raclab_org_seq;
