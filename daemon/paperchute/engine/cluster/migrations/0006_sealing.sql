-- By which mark the key is known that passwords of waiting tasks are sealed with. One row; nobody learns the key from it.
create table sealing (
    one  boolean primary key default true check (one),
    mark text not null
);
