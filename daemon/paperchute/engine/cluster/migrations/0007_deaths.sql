-- How many machines have gone while they worked on a run: no fault of the run, but it cannot go round for ever.
create table death (
    run   text primary key,
    count integer not null
);
-- What runs and waits, as one of the cluster last counted it (JSON), and when that is to be counted again (Unix time).
create table at_hand (
    one    boolean primary key default true check (one),
    counts text not null,
    due    double precision not null
);
