/** Increase it with every change to the tables, the tokenizer, the detection of secrets, or what is read and computed from sessions: the index is then rebuilt. */
export const INDEX_VERSION = 27;

/** How much the full-text table collects in memory before it writes a segment: more would not fit the processor's cache. */
const PENDING_TEXT_BYTES = 16 * 1024 * 1024;

/**
 * Two products in one file. The catalog (all tables but the last three) has what is known of each session; the text index has
 * the words of the first `text_offset` bytes of each file, and never more than the catalog knows of it.
 *
 * The index holds pointers and numbers, no text. Keys of messages, calls and turns are hashes, so that copies of a record
 * in other files are found by a number. There are no triggers: with them SQLite would make the full-text table flush
 * before every statement, which leaves a segment for each file.
 */
export const SCHEMA = `
  CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    owner TEXT, -- path of the session that a sub-agent belongs to
    session_id TEXT NOT NULL,
    agent_id TEXT,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    ctime REAL NOT NULL, -- 0: see FileState
    inode INTEGER NOT NULL,
    cursor TEXT, -- how far the catalog has read it
    read_offset INTEGER NOT NULL DEFAULT 0, -- the same, in bytes
    text_offset INTEGER NOT NULL DEFAULT 0, -- how far the text index has
    text_line INTEGER NOT NULL DEFAULT 1, -- the line that begins there
    is_counted INTEGER NOT NULL DEFAULT 0, -- its numbers are up to date with the cursor
    problem TEXT,
    broken_lines INTEGER NOT NULL DEFAULT 0,
    is_kept INTEGER NOT NULL DEFAULT 0, -- the archive has it as it was indexed
    archive TEXT, -- folder of its copy, where only the archive still has it
    title_state TEXT NOT NULL -- of the file beside it with the session's title
  );

  CREATE TABLE snapshots ( -- see read-entry.ts; a table of its own, because SQLite rewrites a row with all its pages
    file INTEGER PRIMARY KEY, snapshot BLOB NOT NULL
  );
  CREATE INDEX files_behind ON files (read_offset) WHERE read_offset > text_offset; -- whose texts are to be indexed
  CREATE INDEX files_of_sessions ON files (path) WHERE agent_id IS NULL;
  CREATE INDEX files_by_owner ON files (owner) WHERE owner IS NOT NULL;

  CREATE TABLE sessions (
    file INTEGER PRIMARY KEY,
    ended TEXT, -- its latest activity, ISO 8601
    project TEXT, title TEXT NOT NULL,
    has_secret INTEGER NOT NULL, -- in its title, project, git branch or the names of its tools
    summary TEXT NOT NULL, -- JSON, see summary-cells.ts
    turn_lines TEXT NOT NULL, -- which lines belong to which turn
    turn_starts TEXT NOT NULL, -- JSON: line, offset and length of the first record of each turn
    relations TEXT NOT NULL -- JSON: what it says about other sessions
  );
  CREATE INDEX sessions_by_end ON sessions (ended);

  CREATE TABLE numbers ( -- messages, calls and turns of a file one by one, see packed-rows.ts
    file INTEGER PRIMARY KEY, messages TEXT NOT NULL, calls TEXT NOT NULL, turns TEXT NOT NULL
  );

  CREATE TABLE keys ( -- of messages, calls and turns: which files have them
    key INTEGER NOT NULL, file INTEGER NOT NULL,
    PRIMARY KEY (key, file)
  ) WITHOUT ROWID;

  CREATE TABLE agents ( -- files of sub-agents
    file INTEGER PRIMARY KEY,
    spent TEXT NOT NULL, counts TEXT NOT NULL, links TEXT NOT NULL -- JSON, see summary-cells.ts
  );

  CREATE TABLE changed ( -- files that a session or a sub-agent changed
    name TEXT NOT NULL, -- of the file without its folder, in lower case
    path TEXT NOT NULL, -- as recorded
    file INTEGER NOT NULL,
    PRIMARY KEY (name, path, file)
  ) WITHOUT ROWID;
  CREATE INDEX changed_by_file ON changed (file);

  CREATE TABLE ledgers ( -- messages, calls and turns of a file, summed by quarter of an hour
    file INTEGER PRIMARY KEY,
    first INTEGER, last INTEGER, -- ms since the epoch
    messages TEXT NOT NULL, calls TEXT NOT NULL, turns TEXT NOT NULL
  );

  CREATE TABLE copies ( -- what occurs in several files
    kind TEXT NOT NULL, -- messages, calls or turns
    key INTEGER NOT NULL, file INTEGER NOT NULL,
    row TEXT NOT NULL, -- as in the column of numbers
    PRIMARY KEY (kind, key, file)
  ) WITHOUT ROWID;
  CREATE INDEX copies_by_file ON copies (file);

  CREATE TABLE launches (
    file INTEGER NOT NULL, agent_id TEXT NOT NULL, line INTEGER NOT NULL, -- of the call
    PRIMARY KEY (file, agent_id)
  ) WITHOUT ROWID;

  CREATE TABLE replaced ( -- records that a later one with the same uuid replaces
    file INTEGER NOT NULL, offset INTEGER NOT NULL,
    PRIMARY KEY (file, offset)
  ) WITHOUT ROWID;

  CREATE VIRTUAL TABLE titles USING fts5 ( -- by file
    text, content = '', contentless_delete = 1, tokenize = 'ascii'
  );

  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE answers ( -- computed from all numbers at a generation
    question TEXT PRIMARY KEY, generation INTEGER NOT NULL, answer TEXT NOT NULL
  ) WITHOUT ROWID;
  INSERT INTO meta VALUES ('generation', '0');

  CREATE TABLE ranges ( -- which texts are of which file
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, file INTEGER NOT NULL
  );
  CREATE INDEX ranges_by_file ON ranges (file);

  CREATE TABLE docs (
    id INTEGER PRIMARY KEY, -- a sequence number, with the kind of text in its lowest digits
    line INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, part INTEGER NOT NULL,
    tool TEXT, time INTEGER, is_error INTEGER NOT NULL
  );

  CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'ascii');
  INSERT INTO texts (texts, rank) VALUES ('hashsize', ${PENDING_TEXT_BYTES});
  INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
  PRAGMA user_version = ${INDEX_VERSION};
`;
