"""One module per command or group of commands. What a command needs at run time is imported when it runs."""
