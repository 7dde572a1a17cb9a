"""What is done with settings once they are read: shown one by one, and changed in the person's own file, comments and all.

Pure over texts: nothing is written here. Does not know which settings there are: `config` does.
"""
