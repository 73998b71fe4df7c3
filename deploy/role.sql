-- The roles and the database of the service, made once by an administrator of Postgres 15 or newer:
--   OWNER_PASSWORD=… SERVICE_PASSWORD=… psql -f role.sql
-- `mcs_owner` owns the tables; `npm run db:migrate` and the other commands connect as it, straight to Postgres.
-- `mcs_service` reads and writes rows and can change no table; the service connects as it.

\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv service_password SERVICE_PASSWORD

create role mcs_owner login password :'owner_password';
create role mcs_service login password :'service_password';

-- DATABASE_TIMEOUT_MS. The service asks for them with each connection, but PgBouncer does not pass that on.
alter role mcs_service set statement_timeout = '5s';
alter role mcs_service set idle_in_transaction_session_timeout = '5s';

-- Standbys and their lag, which `npm run doctor` looks at; it shows the statements of other sessions too, but no rows.
grant pg_monitor to mcs_service;

create database mcs owner mcs_owner;
\connect mcs
alter default privileges for role mcs_owner grant select, insert, update, delete on tables to mcs_service;
alter default privileges for role mcs_owner grant usage on sequences to mcs_service;
