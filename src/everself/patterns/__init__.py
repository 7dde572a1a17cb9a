"""RE2 sets as data, in English, Chinese, Korean and Japanese: what a sentence is, and what it asks of memory. Pure."""
