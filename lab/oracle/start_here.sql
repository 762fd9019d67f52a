-- Jobs on cores: each session burns CPU until it has used the lever's seconds of it; all start together, on one instance.
--
-- Not tested against an Oracle database when it was written: no database was at hand. The tests parse it.
--
-- Makes no objects and reads no tables. DBMS_UTILITY.GET_CPU_TIME counts this session's CPU in hundredths of a second.
-- Oracle Database Free uses two CPU threads at most: the third job shows it there.
--
-- lever_NAME is the setting of the myth's lever NAME; calls gives the number of jobs back.

-- section: workload
declare
  v_wanted constant pls_integer := :lever_cpu_s * 100;
  v_begun  constant pls_integer := dbms_utility.get_cpu_time;
  v_x      number               := 0;
begin
  while dbms_utility.get_cpu_time - v_begun < v_wanted loop
    for i in 1 .. 10000 loop
      v_x := mod(v_x * 31 + i, 1000003);
    end loop;
  end loop;
  :calls := 1;
end;
/
