-- Parallel query over instances: one statement with the lever's DOP, an aggregation of one table or a join that is grouped, with the servers on
-- all instances or on the coordinator's only; V$PQ_TQSTAT then says what went through each table queue.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- PARALLEL_FORCE_LOCAL is set in this session only. The rows of the grouped join all come to the coordinator: ROWNUM makes it count them.
-- Hash partitions (lever Join method: partition-wise) need the Partitioning option: it comes with Oracle Database Free, and is licensed
-- apart in Enterprise Edition. Oracle Database Free uses two CPU threads at most, whatever the DOP.
--
-- bind: thousand_rows = 1000   thousands of rows of each of the two tables, about 60 MB together a million
-- lever_NAME is the setting of the myth's lever NAME; calls gives the number of statements back.

-- section: setup
declare
  v_ending constant varchar2(100) :=
    ' nologging' || case when :lever_partition_wise = 1 then ' partition by hash (id) partitions 16' end;
begin
  execute immediate 'create table raclab_px_a (id number not null, amount number not null) pctfree 0' || v_ending;
  execute immediate 'create table raclab_px_b (id number not null, amount number not null) pctfree 0' || v_ending;
end;
/

insert /*+ append */ into raclab_px_a (id, amount)
select (x.n - 1) * 1000 + y.n, mod(y.n, 100)
from (select level as n from dual connect by level <= :thousand_rows) x
cross join (select level as n from dual connect by level <= 1000) y;
commit;

insert /*+ append */ into raclab_px_b (id, amount)
select id, amount + 1 from raclab_px_a;
commit;

begin
  dbms_stats.gather_table_stats(user, 'RACLAB_PX_A');
  dbms_stats.gather_table_stats(user, 'RACLAB_PX_B');
end;
/

-- section: workload
declare
  v_dop   constant varchar2(10) := to_char(:lever_dop, 'fm9990');
  v_group constant varchar2(40) := 'trunc((a.id - 1) / ' || to_char(:lever_rows_per_group, 'fm99999990') || ')';
  v_text  varchar2(2000);
  v_rows  number;
  v_sum   number;
begin
  execute immediate 'alter session set parallel_force_local = ' || case when :lever_instances = 1 then 'true' else 'false' end;
  if :lever_join = 1 then
    v_text :=
      'select count(*), sum(total) from (select rownum as r, total from (select /*+ leading(a b) use_hash(b) full(a) full(b) parallel(a, '
      || v_dop || ') parallel(b, ' || v_dop || ') pq_distribute(b, '
      || case when :lever_partition_wise = 1 then 'none, none' else 'hash, hash' end
      || ') */ ' || v_group || ' as grp, sum(a.amount + b.amount) as total'
      || ' from raclab_px_a a join raclab_px_b b on a.id = b.id group by ' || v_group || '))';
  else
    v_text := 'select /*+ full(a) parallel(a, ' || v_dop || ') */ min(amount), max(amount) + avg(amount) from raclab_px_a a';
  end if;
  execute immediate v_text into v_rows, v_sum;
  :calls := 1;
end;
/

-- section: teardown
drop table raclab_px_a purge;
drop table raclab_px_b purge;
