-- What is dear to count, as one of the cluster last counted it. At: Unix time.
create table tally (
    name  text primary key,
    value bigint not null,
    at    double precision not null
);
