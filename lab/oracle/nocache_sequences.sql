-- NOCACHE sequences: each session inserts rows whose key comes from one sequence, all at the same time.
--
-- Not tested against an Oracle database when it was written: no database was at hand. Its plain SQL is parsed by the tests,
-- its PL/SQL is only checked for its outline.
--
-- After the published case (data/nocache_sequences): a sequence that starts with 10, 10,000 rows a session, 500 bytes of payload,
-- a commit every 1,000 rows, no index. The lab runs the sections: setup once, workload in every session, teardown once.
-- Run it only in the schema that "python -m raclab oracle init" made: setup and teardown drop RACLAB_SEQ and RACLAB_SEQ_ROWS.
--
-- PL/SQL does not wait for LGWR at each COMMIT in a loop, only at the end of the call: expect hardly any "log file sync".
-- Oracle 19.10 and later may enlarge the cache of a CACHE sequence by itself; NOCACHE stays NOCACHE.
--
-- bind: rows_per_session = 10000   rows that each session inserts
-- lever_NAME is the setting of the myth's lever NAME; calls gives the number of executed inserts back.

-- section: setup
create table raclab_seq_rows (
  id      number        not null,
  payload varchar2(500) not null
);

-- the options are numbers and a yes or no, so nothing can be slipped in
begin
  execute immediate
    'create sequence raclab_seq start with 10 increment by 1 '
    || case when :lever_cache < 2 then 'nocache' else 'cache ' || to_char(:lever_cache, 'fm9999999990') end
    || case when :lever_order = 1 then ' order' else ' noorder' end;
end;
/

-- section: workload
declare
  v_payload constant varchar2(500) := rpad('x', 500, 'x');
  v_every   constant pls_integer   := :lever_commit_every;
  v_rows    constant pls_integer   := :rows_per_session;
begin
  for i in 1 .. v_rows loop
    insert into raclab_seq_rows (id, payload) values (raclab_seq.nextval, v_payload);
    if mod(i, v_every) = 0 then
      commit;
    end if;
  end loop;
  commit;
  :calls := v_rows;
end;
/

-- section: teardown
drop table raclab_seq_rows purge;
drop sequence raclab_seq;
