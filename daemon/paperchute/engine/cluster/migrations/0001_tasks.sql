create table task (
    id          text primary key,
    operation   text not null,
    mode        text not null,
    request_key text unique,
    callback    text not null,
    metadata    text not null,
    language    text not null,
    state       text not null,
    created     double precision not null,
    queued      double precision not null,
    updated     double precision not null,
    expires     double precision not null
);
create index task_expires on task (expires);
create index task_created on task (created);
create index task_unended on task (state) where state in ('open', 'started');
create table run (
    id           text primary key,
    task         text not null,
    number       integer not null,
    operation    text not null,
    token        text not null unique,
    upload       text not null,
    upload_until double precision not null,
    state        text not null,
    file_name    text not null,
    file_size    bigint not null,
    parameters   text not null,
    order_text   text not null,
    output_name  text not null default '',
    output_size  bigint not null default 0,
    milliseconds bigint not null default 0,
    code         text not null default '',
    reason       text not null default '',
    starts       integer not null default 0,
    warnings     text not null default '[]',
    notes        text not null default '[]',
    words        text not null default '{}',
    epoch        integer not null default 0,
    job          text not null default ''
);
create index run_task on run (task, number);
create index run_upload on run (upload) where upload != '';
create index run_unended on run (state) where state in ('draft', 'waiting', 'processing');
create table letter (
    id    bigint generated always as identity primary key,
    url   text not null,
    body  text not null,
    tries integer not null default 0,
    due   double precision not null
);
create index letter_due on letter (due, id);
-- How far runs are: worth nothing after a crash, so nothing is written for one.
create unlogged table progress (
    run   text primary key,
    done  integer not null,
    total integer not null
);
-- Regular work that one of the cluster does when it is due.
create table upkeep (
    name text primary key,
    due  timestamptz not null
);
