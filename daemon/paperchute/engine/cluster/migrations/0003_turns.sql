-- In which round a run that waits is due: round robin between API keys. It goes when the run is begun.
create table turn (
    run     text primary key,
    api_key text not null,
    round   bigint not null
);
create index turn_round on turn (round);
create index turn_key on turn (api_key, round);
