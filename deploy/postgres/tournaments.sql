-- The ledger of tournaments lives beside the sessions, in a database of its own.
CREATE DATABASE tournaments OWNER croupier;
