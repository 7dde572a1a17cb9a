-- Why: a plain file that a tool wrote in a conversation with a page read as the agent's own words in the next one. What each tool wrote is
-- put on record with whose words it is, so that a file is trusted no more than its writer was.

CREATE TABLE file_origins (
    seq     INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,               -- keyed hash of the name, which may be words of somebody
    content TEXT NOT NULL,               -- keyed hash of the bytes
    source  TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;
CREATE INDEX file_origins_by_content ON file_origins (content);
CREATE INDEX file_origins_by_path ON file_origins (path);
