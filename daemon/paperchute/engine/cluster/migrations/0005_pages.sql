-- How many pages a run had in hand.
alter table run add column pages integer not null default 0;
