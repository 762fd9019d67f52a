-- What "python -m raclab oracle init" runs, as SYS, in the database (a pluggable one, if it has any) that the lab may use.
--
-- Not tested against an Oracle database when it was written: no database was at hand.
--
-- &lab_user, &lab_password, &lab_role, &lab_tablespace, &database and &container are filled in by the command, checked names only.
-- By hand in SQL*Plus: define them first. "python -m raclab oracle drop" removes the user and the role, which is all there is.

-- section: role
create role &lab_role;

-- section: grants
-- SELECT on the views that the course reads, and on no other: SELECT_CATALOG_ROLE would give the whole dictionary. V$SQL is not among them,
-- because it shows everybody's statements.
grant select on sys.v_$active_instances to &lab_role;
grant select on sys.v_$active_services to &lab_role;
grant select on sys.v_$bgprocess to &lab_role;
grant select on sys.v_$cr_block_server to &lab_role;
grant select on sys.v_$current_block_server to &lab_role;
grant select on sys.v_$database to &lab_role;
grant select on sys.v_$enqueue_statistics to &lab_role;
grant select on sys.v_$event_histogram to &lab_role;
grant select on sys.v_$event_histogram_micro to &lab_role;
grant select on sys.v_$event_name to &lab_role;
grant select on sys.v_$instance to &lab_role;
grant select on sys.v_$instance_cache_transfer to &lab_role;
grant select on sys.v_$instance_ping to &lab_role;
grant select on sys.v_$latch to &lab_role;
grant select on sys.v_$mystat to &lab_role;
grant select on sys.v_$osstat to &lab_role;
grant select on sys.v_$parameter to &lab_role;
grant select on sys.v_$pq_tqstat to &lab_role;
grant select on sys.v_$process to &lab_role;
grant select on sys.v_$px_process to &lab_role;
grant select on sys.v_$px_process_sysstat to &lab_role;
grant select on sys.v_$px_session to &lab_role;
grant select on sys.v_$px_sesstat to &lab_role;
grant select on sys.v_$rowcache to &lab_role;
grant select on sys.v_$segment_statistics to &lab_role;
grant select on sys.v_$segstat to &lab_role;
grant select on sys.v_$services to &lab_role;
grant select on sys.v_$sess_time_model to &lab_role;
grant select on sys.v_$session to &lab_role;
grant select on sys.v_$session_event to &lab_role;
grant select on sys.v_$session_wait to &lab_role;
grant select on sys.v_$session_wait_class to &lab_role;
grant select on sys.v_$sesstat to &lab_role;
grant select on sys.v_$statname to &lab_role;
grant select on sys.v_$sys_time_model to &lab_role;
grant select on sys.v_$sysstat to &lab_role;
grant select on sys.v_$system_event to &lab_role;
grant select on sys.v_$system_wait_class to &lab_role;
grant select on sys.v_$version to &lab_role;
grant select on sys.gv_$active_services to &lab_role;
grant select on sys.gv_$bgprocess to &lab_role;
grant select on sys.gv_$cr_block_server to &lab_role;
grant select on sys.gv_$current_block_server to &lab_role;
grant select on sys.gv_$database to &lab_role;
grant select on sys.gv_$enqueue_statistics to &lab_role;
grant select on sys.gv_$event_histogram to &lab_role;
grant select on sys.gv_$event_histogram_micro to &lab_role;
grant select on sys.gv_$event_name to &lab_role;
grant select on sys.gv_$instance to &lab_role;
grant select on sys.gv_$instance_cache_transfer to &lab_role;
grant select on sys.gv_$instance_ping to &lab_role;
grant select on sys.gv_$latch to &lab_role;
grant select on sys.gv_$mystat to &lab_role;
grant select on sys.gv_$osstat to &lab_role;
grant select on sys.gv_$parameter to &lab_role;
grant select on sys.gv_$pq_tqstat to &lab_role;
grant select on sys.gv_$process to &lab_role;
grant select on sys.gv_$px_process to &lab_role;
grant select on sys.gv_$px_process_sysstat to &lab_role;
grant select on sys.gv_$px_session to &lab_role;
grant select on sys.gv_$px_sesstat to &lab_role;
grant select on sys.gv_$rowcache to &lab_role;
grant select on sys.gv_$segment_statistics to &lab_role;
grant select on sys.gv_$segstat to &lab_role;
grant select on sys.gv_$services to &lab_role;
grant select on sys.gv_$sess_time_model to &lab_role;
grant select on sys.gv_$session to &lab_role;
grant select on sys.gv_$session_event to &lab_role;
grant select on sys.gv_$session_wait to &lab_role;
grant select on sys.gv_$session_wait_class to &lab_role;
grant select on sys.gv_$sesstat to &lab_role;
grant select on sys.gv_$statname to &lab_role;
grant select on sys.gv_$sys_time_model to &lab_role;
grant select on sys.gv_$sysstat to &lab_role;
grant select on sys.gv_$system_event to &lab_role;
grant select on sys.gv_$system_wait_class to &lab_role;
grant select on sys.gv_$version to &lab_role;

-- section: diagnostics_pack
-- Only on request: reading these needs the Diagnostics Pack (in Oracle Database Free it is included).
grant select on sys.v_$active_session_history to &lab_role;
grant select on sys.gv_$active_session_history to &lab_role;
grant select on sys.dba_hist_snapshot to &lab_role;
grant select on sys.dba_hist_system_event to &lab_role;
grant select on sys.dba_hist_sysstat to &lab_role;

-- section: user
create user &lab_user identified by "&lab_password" default tablespace &lab_tablespace quota 500M on &lab_tablespace;
grant create session, create table, create sequence to &lab_user;
grant &lab_role to &lab_user;

-- section: mark
-- The lab writes only where it finds this row, and only while all of it is true.
create table &lab_user..raclab_mark (
  lab_user       varchar2(128) not null,
  db_unique_name varchar2(128) not null,
  con_name       varchar2(128),
  lab_role       varchar2(128) not null,
  made_at        date          not null
);
insert into &lab_user..raclab_mark values ('&lab_user', '&database', '&container', '&lab_role', sysdate);

-- section: drop
drop user &lab_user cascade;
drop role &lab_role;
