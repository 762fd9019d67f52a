-- Slow global cache: four sessions on each of two instances read rows in blocks that the others change, and change rows of their own in them.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- Needs two instances. Every block holds a row of every session, so that nobody waits for a row: what is waited for is the block.
-- Rows are reached by their rowid, so that no index block is asked for. Nothing here slows the wire, LMS or LGWR down: what is measured is
-- your cluster as it is.
--
-- bind: blocks_per_session = 2000   blocks that each session reads once and changes once
-- my_number is the session's number of all_sessions; calls gives the number of reads and changes back.

-- section: setup
create table raclab_blocks (
  block   number         not null,
  member  number         not null,
  n       number         not null,
  payload varchar2(4000) not null
) pctfree 5 initrans 16;

insert into raclab_blocks (block, member, n, payload)
select b.n, m.n, 0, rpad('x', trunc(6000 / :all_sessions), 'x')
from (select level as n from dual connect by level <= :blocks_per_session) b
cross join (select level as n from dual connect by level <= :all_sessions) m
order by b.n, m.n;
commit;

-- section: workload
declare
  type rowids is table of rowid index by pls_integer;
  v_mine   rowids;
  v_theirs rowids;
  v_n      number;
begin
  select rowid bulk collect into v_mine from raclab_blocks where member = :my_number order by dbms_random.value;
  select rowid bulk collect into v_theirs
  from raclab_blocks where member = mod(:my_number, :all_sessions) + 1 order by dbms_random.value;
  for i in 1 .. v_mine.count loop
    select n into v_n from raclab_blocks where rowid = v_theirs(i);
    update raclab_blocks set n = n + 1 where rowid = v_mine(i);
    commit;
  end loop;
  :calls := 2 * v_mine.count;
end;
/

-- section: teardown
drop table raclab_blocks purge;
