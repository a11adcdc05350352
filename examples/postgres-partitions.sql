-- Cuts the cold store in PostgreSQL into partitions by author. Optional; run it once, as the owner of the tables,
-- while no core or cold server is connected. The adapter works on either form and need not be told.
--
--   psql "$MEMORYCORE_COLD_URL" -v ON_ERROR_STOP=1 -f examples/postgres-partitions.sql
--
-- What it gives: each author's rows, text index and vector index lie together, searches touch one partition, VACUUM
-- works on one partition at a time, and a partition can lie on a tablespace of its own. What it costs: a look-up by
-- id alone asks every partition, and ids are no longer unique by constraint (they are 128 random bits).
SET search_path = memorycore, public;
BEGIN;
LOCK TABLE memories IN ACCESS EXCLUSIVE MODE;

ALTER TABLE trash DROP CONSTRAINT trash_seq_fkey;
ALTER TABLE staged DROP CONSTRAINT staged_seq_fkey;
ALTER TABLE revisions DROP CONSTRAINT revisions_seq_fkey;

ALTER TABLE memories RENAME TO memories_whole;
CREATE TABLE memories (LIKE memories_whole INCLUDING DEFAULTS INCLUDING STORAGE)
    PARTITION BY HASH (author);
CREATE SEQUENCE memory_numbers OWNED BY memories.seq;
SELECT setval('memory_numbers', (SELECT coalesce(max(seq), 0) + 1 FROM memories_whole), false);
ALTER TABLE memories ALTER seq SET DEFAULT nextval('memory_numbers');

CREATE TABLE memories_0 PARTITION OF memories FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE memories_1 PARTITION OF memories FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE memories_2 PARTITION OF memories FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE memories_3 PARTITION OF memories FOR VALUES WITH (MODULUS 4, REMAINDER 3);
-- Samples of texts would outlive a purge.
ALTER TABLE memories ALTER content SET STATISTICS 0, ALTER hash SET STATISTICS 0,
    ALTER tokens SET STATISTICS 0, ALTER vector SET STATISTICS 0;

INSERT INTO memories SELECT * FROM memories_whole;
DROP TABLE memories_whole;

ALTER TABLE memories ADD PRIMARY KEY (author, seq);
CREATE INDEX memories_seq ON memories (seq);
CREATE INDEX memories_id ON memories (id);
CREATE UNIQUE INDEX memories_text ON memories (hash, author, scope) WHERE live;
CREATE INDEX memories_change ON memories (change);
CREATE INDEX memories_author ON memories (author, live);
CREATE INDEX memories_tokens ON memories USING gin (tokens) WITH (fastupdate = off);
CREATE INDEX memories_pending ON memories (seq) WHERE live AND vector IS NULL;

-- What hangs on a memory goes with it, as the foreign keys had it.
CREATE FUNCTION drop_what_hangs_on_a_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memorycore.trash WHERE seq = OLD.seq;
    DELETE FROM memorycore.staged WHERE seq = OLD.seq;
    DELETE FROM memorycore.revisions WHERE seq = OLD.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_gone AFTER DELETE ON memories
    FOR EACH ROW EXECUTE FUNCTION drop_what_hangs_on_a_memory();
COMMIT;
-- The vector index, if there was one, is made anew by the next `memorycore maintain`.
