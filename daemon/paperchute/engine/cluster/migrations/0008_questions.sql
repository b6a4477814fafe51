-- What a run asks of a person (JSON).
alter table run add column questions text not null default '[]';
