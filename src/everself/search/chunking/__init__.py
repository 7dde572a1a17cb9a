"""From a document to the small chunks that search finds, and the terms under which each is found. Pure; knows no index."""
