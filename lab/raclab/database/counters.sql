-- The simulated cluster's counters since its start. Views read them (views.py), runs add to them (loader.py).
-- ``load`` numbers the runs, from 1, over all starts of the cluster: what a snapshot shows are the rows up to a number.

CREATE SCHEMA cluster;
CREATE TABLE cluster.instance (inst_id BIGINT, startup_time TIMESTAMP_S, created TIMESTAMP_S);
CREATE TABLE cluster.event (
  event VARCHAR, wait_class VARCHAR, event_id BIGINT, wait_class_id BIGINT, wait_class_number BIGINT, event_number BIGINT,
  parameter1 VARCHAR, parameter2 VARCHAR, parameter3 VARCHAR
);
CREATE TABLE cluster.statistic (name VARCHAR, number BIGINT, class BIGINT, stat_id BIGINT);
CREATE TABLE cluster.session (
  inst_id BIGINT, sid BIGINT, serial BIGINT, logon_time TIMESTAMP_S, idle_since TIMESTAMP_S, connected BOOLEAN,
  osuser VARCHAR, process VARCHAR, machine VARCHAR, terminal VARCHAR, program VARCHAR,
  module VARCHAR, action VARCHAR, client_info VARCHAR, client_identifier VARCHAR
);
CREATE TABLE cluster.background (
  inst_id BIGINT, sid BIGINT, pname VARCHAR, idle_event VARCHAR, started TIMESTAMP_S, idle_since TIMESTAMP_S
);
-- when each run began, and how long it took
CREATE TABLE cluster.run (load BIGINT, began TIMESTAMP, seconds DOUBLE);
-- the statement that a session has done last
CREATE TABLE cluster.session_sql (inst_id BIGINT, sid BIGINT, sql_id VARCHAR);
-- the number in the next name that a constraint is given
CREATE SEQUENCE cluster.constraint_number START WITH 8001;
CREATE TABLE cluster.session_event (
  load BIGINT, inst_id BIGINT, sid BIGINT, event VARCHAR, total_waits BIGINT, micro BIGINT, max_micro BIGINT, background BOOLEAN
);
CREATE TABLE cluster.time_model (load BIGINT, inst_id BIGINT, sid BIGINT, name VARCHAR, micro BIGINT);
CREATE TABLE cluster.sysstat (load BIGINT, inst_id BIGINT, name VARCHAR, value DECIMAL(38, 4));
CREATE TABLE cluster.sesstat (inst_id BIGINT, sid BIGINT, name VARCHAR, value DECIMAL(38, 4));
