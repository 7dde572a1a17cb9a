"""What every document was, commit by commit, in a bare git repository. Knows contents and commits; not why anyone changed anything."""
