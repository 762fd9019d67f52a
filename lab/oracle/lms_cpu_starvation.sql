-- LMS without CPU: sessions on the other instances ask instance 1 for blocks, while batch on instance 1 burns CPU.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- Needs two instances, and LOADS ALL CPUS of the first one's host for as long as burn_seconds says: whatever else runs there slows down, and
-- an instance whose LMS and LMD get no CPU for minutes may be evicted. Keep it short. With LMS in real time, the default since 10.2, hardly
-- anything should be seen; that is the point. Session 1 keeps changing the blocks, so that they are instance 1's to serve.
--
-- bind: burn_seconds = 20    how long every session works, seconds
-- bind: blocks = 400         blocks of the table
-- lever_NAME is the setting of the myth's lever NAME; my_number is the session's number of all_sessions, my_instance the position of its
-- instance; calls gives the number of blocks asked for back.

-- section: setup
create table raclab_blocks (
  block   number         not null,
  member  number         not null,
  n       number         not null,
  payload varchar2(4000) not null
) pctfree 5 initrans 16;

-- member 0 is the keeper's, 1 to 28 are those of the sessions that ask: four on each of seven other instances at most
insert into raclab_blocks (block, member, n, payload)
select b.n, m.n - 1, 0, rpad('x', 200, 'x')
from (select level as n from dual connect by level <= :blocks) b
cross join (select level as n from dual connect by level <= 29) m
order by b.n, m.n;
commit;

-- section: workload
declare
  type rowids is table of rowid index by pls_integer;
  v_end   constant pls_integer := dbms_utility.get_time + :burn_seconds * 100;
  v_role  constant varchar2(10) := case when :my_number = 1 then 'keep' when :my_instance = 1 then 'burn' else 'ask' end;
  v_rows  rowids;
  v_asked pls_integer := 0;
  v_x     number      := 0;
begin
  if v_role <> 'burn' then
    select rowid bulk collect into v_rows
    from raclab_blocks where member = case when v_role = 'keep' then 0 else mod(:my_number, 28) + 1 end order by dbms_random.value;
  end if;
  while dbms_utility.get_time < v_end loop
    if v_role = 'burn' then
      for i in 1 .. 10000 loop
        v_x := mod(v_x * 31 + i, 1000003);
      end loop;
    elsif v_role = 'keep' then
      for i in 1 .. v_rows.count loop
        update raclab_blocks set n = n + 1 where rowid = v_rows(i);
        commit;
        exit when dbms_utility.get_time >= v_end;
      end loop;
    else
      for i in 1 .. v_rows.count loop
        select n into v_x from raclab_blocks where rowid = v_rows(i);
        update raclab_blocks set n = n + 1 where rowid = v_rows(i);
        commit;
        v_asked := v_asked + 2;
        exit when dbms_utility.get_time >= v_end;
      end loop;
    end if;
  end loop;
  :calls := v_asked;
end;
/

-- section: teardown
drop table raclab_blocks purge;
