-- API keys beside the service's own. In tables of their own: engines of the release before read whole rows of the others.
create table api_key (
    id         text primary key,
    name       text not null unique,
    hash       text not null unique,
    created    double precision not null,
    used       double precision not null default 0,
    revoked    double precision not null default 0,
    most_open  bigint not null default 0,
    pages      bigint not null default 0,
    rate       bigint not null default 0,
    rate_until double precision not null default 0
);
create table key_pages (
    api_key text not null,
    month   text not null,
    pages   bigint not null,
    primary key (api_key, month)
);
create table task_owner (
    task    text primary key,
    api_key text not null
);
create index task_owner_key on task_owner (api_key);
